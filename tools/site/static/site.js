// SPDX-License-Identifier: Apache-2.0 OR MIT
// Lets keys scroll figures, tables and code that are wider than the window. On the page of results, shows the section of one CPU, which the reader chooses; without this
// script, the page has all.
for (const scrolled of document.querySelectorAll("article :is(pre, .table-wrapper, p:has(> img))")) {
    if (scrolled.scrollWidth > scrolled.clientWidth) {
        scrolled.tabIndex = 0;
    }
}

const page = document.querySelector("article section#results");
const sections = page === null ? [] : [...page.querySelectorAll(":scope > section")];
if (sections.length > 1) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.className = "chooser";
    label.append("CPU:", select);
    for (const section of sections) {
        const title = section.querySelector("h2").cloneNode(true);
        title.querySelector(".headerlink")?.remove();
        select.add(new Option(title.textContent, section.id));
    }
    const show = () => sections.forEach((section) => (section.hidden = section.id !== select.value));
    const follow = () => {
        const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        const section = sections.find((one) => target !== null && one.contains(target));
        if (section !== undefined) {
            select.value = section.id;
            show();
            target.scrollIntoView();
        }
    };
    select.addEventListener("change", show);
    window.addEventListener("hashchange", follow);
    sections[0].before(label);
    show();
    follow();
}
