#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Begins each page that another tool made with a link to the site: tools/site/lead_back.py REFERENCES FOLDER..."""

import re
import sys
from pathlib import Path

STYLE = "margin:0;padding:.4rem 1rem;background:#0a5c99;color:#fff;font:15px sans-serif;position:relative;z-index:1"
LINK = (
    '<p style="{}"><a style="color:#fff;text-decoration:underline" href="{}index.html">Hornet: all references</a></p>'
)

references = Path(sys.argv[1])
for folder in sys.argv[2:]:
    for path in (references / folder).rglob("*.html"):
        up = "../" * (len(path.relative_to(references).parts) - 1)
        text = path.read_text(encoding="utf-8")
        body = re.search(r"<body[^>]*>", text)
        if body and 'http-equiv="refresh"' not in text.lower():
            path.write_text(text[: body.end()] + LINK.format(STYLE, up) + text[body.end() :], encoding="utf-8")
