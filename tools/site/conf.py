# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sphinx's configuration for the site. tools/site/build.sh calls it."""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "build/sphinx/source"

project = "Hornet"
author = "Hornet's contributors"
html_title = "Hornet"
html_theme = "furo"
html_static_path = [str(HERE / "static")]
templates_path = [str(HERE / "templates")]
html_extra_path = [str(SOURCE.parent / "extra")]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_permalinks_icon = "#"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0a5c99",
        "color-brand-content": "#0a5c99",
        "color-foreground-muted": "#5a5c63",
    },
    "dark_css_variables": {"color-brand-primary": "#7cc0f5", "color-brand-content": "#7cc0f5"},
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
highlight_language = "text"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
myst_enable_extensions = ["substitution"]
myst_substitutions = json.loads((SOURCE / "counts.json").read_text())
# Documents are listed by hand, sources and results by links; and shell sessions hold lines that no lexer knows.
suppress_warnings = ["toc.not_included", "misc.highlighting_failure", "myst.header"]


def with_levels(app, pagename, templatename, context, doctree):
    """Sphinx makes the captions of the list headings without a level."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def setup(app):
    app.connect("html-page-context", with_levels, priority=900)  # after Furo has made the list
    # Pagefind searches all of the site, the pages of other tools too.
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))
