// SPDX-License-Identifier: Apache-2.0 OR MIT
// Searches for the word that the box on another page sent.
window.addEventListener("DOMContentLoaded", () => {
    const search = new PagefindUI({
        element: "#search",
        showImages: false,
        showSubResults: true,
        resetStyles: false,
        // The shortest pages, of single functions, are not the best.
        ranking: { pageLength: 0.2, termSimilarity: 2 },
    });
    const word = new URLSearchParams(location.search).get("q");
    if (word) {
        search.triggerSearch(word);
    }
    document.querySelector("#search input").focus();
});
