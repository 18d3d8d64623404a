"use strict";
// What the sheets share. The script that follows defines show(), said(one): the columns that a person filled in for a
// case, and pressed(key).
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const key = `ragsweep ${data.sheet} ${data.name}`;
let place = 0;
let filled = {};
try {
  const kept = JSON.parse(localStorage.getItem(key) || "{}");
  filled = kept.filled || {};
  at("by").value = kept.by || "";
} catch { /* a browser that keeps nothing for files: what is filled in lives as long as the page */ }

function keep() {
  try { localStorage.setItem(key, JSON.stringify({ filled, by: at("by").value })); } catch { /* as above */ }
}

function move(by) {
  place = Math.min(Math.max(place + by, 0), data.cases.length - 1);
  show();
  at("progress").scrollIntoView({ block: "nearest" }); // the buttons of a narrow screen are below what they change
}

function csv() {
  const by = at("by").value.trim();
  const safe = (text) => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text); // no spreadsheet takes it for a formula
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const lines = data.cases.map((one) => {
    const own = Object.entries({ ...said(one), [data.by]: by }).map(([name, text]) => [name, safe(text)]);
    const whole = { ...one.row, ...Object.fromEntries(own) };
    return data.columns.map((name) => quoted(whole[name] ?? "")).join(",");
  });
  return `\ufeff${data.columns.join(",")}\n${lines.join("\n")}\n`;
}

at("previous").addEventListener("click", () => move(-1));
at("next").addEventListener("click", () => move(1));
at("by").addEventListener("input", keep);
at("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  link.download = `${data.sheet}-${at("by").value.trim() || "mine"}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
  } else if (event.key === "ArrowRight") move(1);
  else if (event.key === "ArrowLeft") move(-1);
  else pressed(event);
});
