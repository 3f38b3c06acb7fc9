"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, i) => { const c = row.cells[i]; return c.dataset.v === undefined ? c.textContent.trim() : Number(c.dataset.v); };
  heads.forEach((th, i) => {
    const button = document.createElement("button");
    button.textContent = th.textContent;
    button.title = "Sort by this column";
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === "ascending";
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => {
        const x = value(a, i), y = value(b, i);
        const order = typeof x === "number" ? x - y : x.localeCompare(y);
        return down ? -order : order;
      });
      table.tBodies[0].append(...rows);
    });
  });
  const find = document.createElement("input");
  find.type = "search"; find.className = "find"; find.placeholder = "Filter tasks"; find.setAttribute("aria-label", "Filter tasks");
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((w) => text.includes(w));
    }
  });
  table.parentElement.before(find);
}
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", open);
open();
