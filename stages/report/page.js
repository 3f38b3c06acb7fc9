"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0], names = heads.map((th) => th.textContent);
  const value = (row, i) => { const c = row.cells[i]; return c.dataset.v === undefined ? c.textContent.trim() : Number(c.dataset.v); };
  const sort = (i, down) => {
    heads.forEach((h) => h.removeAttribute("aria-sort"));
    heads[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].map((row, at) => ({ row, at, v: value(row, i) }));
    rows.sort((a, b) => {
      const order = typeof a.v === "number" ? a.v - b.v : a.v.localeCompare(b.v, "en", { numeric: true });
      return (down ? -order : order) || a.at - b.at;
    });
    body.append(...rows.map((r) => r.row));
  };
  const tools = document.createElement("div"), find = document.createElement("input"), choose = document.createElement("select"), shown = document.createElement("span");
  tools.className = "tools"; shown.className = "dim"; shown.setAttribute("role", "status");
  find.type = "search"; find.placeholder = "Filter by words, kinds, states"; find.setAttribute("aria-label", "Filter tasks");
  choose.setAttribute("aria-label", "Sort tasks"); choose.append(new Option("Sort by …", ""));
  heads.forEach((th, i) => {
    const button = document.createElement("button");
    button.type = "button"; button.textContent = names[i]; button.title = "Sort by this column";
    th.replaceChildren(button);
    button.addEventListener("click", () => sort(i, th.getAttribute("aria-sort") === "ascending"));
    choose.append(new Option(names[i] + " ↑", i + "+"), new Option(names[i] + " ↓", i + "-"));
  });
  choose.addEventListener("change", () => { if (choose.value) sort(parseInt(choose.value, 10), choose.value.endsWith("-")); });
  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/);
    let n = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((w) => text.includes(w));
      if (!row.hidden) n++;
    }
    shown.textContent = find.value.trim() ? n + " of " + body.rows.length : "";
  };
  find.addEventListener("input", filter);
  tools.append(find, choose, shown);
  table.parentElement.before(tools);
}
let place = 0;
addEventListener("click", (e) => { const a = e.target.closest("a"); if (a && a.hash.startsWith("#task-") && !a.closest(".task")) place = scrollY; });
addEventListener("hashchange", () => {
  const id = decodeURIComponent(location.hash.slice(1)), at = document.getElementById(id);
  document.title = document.title.split(" · ")[0] + (at && at.matches(".task") ? " · " + at.querySelector("h2").textContent : "");
  if (at && at.matches(".task")) scrollTo(0, 0);
  else if (id === "tasks" && place) scrollTo(0, place);
});
// On paper nothing can be opened: the tables are, and are closed again afterwards.
let opened = [];
addEventListener("beforeprint", () => { opened = [...document.querySelectorAll("details.table:not([open])")]; opened.forEach((d) => { d.open = true; }); });
addEventListener("afterprint", () => opened.forEach((d) => { d.open = false; }));
