/*
 * What a dashboard does beside being read: it has charts drawn again when their place has another size, tells values
 * under the pointer or by the arrow keys, and applies filters when they change. An embed fetches all of it with the
 * secret that stands behind the # of its address, which no server sees in passing.
 */
(() => {
  const STRETCH = 0.12;
  const SETTLE_MS = 150;
  const TICKET_MS = 10_000;
  const view = document.getElementById("view");
  const tip = document.getElementById("tip");
  const isEmbed = view.hasAttribute("data-embed");
  const { unreachable, broken } = view.querySelector(".waiting")?.dataset ?? {};
  let secret = isEmbed ? location.hash.slice(1) : "";
  let renewing;
  let choice = new URLSearchParams(location.search);
  let timer;

  function send(path, params) {
    const headers = { "content-type": "application/x-www-form-urlencoded", "x-embed-secret": secret };
    return fetch(path, { method: "POST", headers, body: params.toString() });
  }

  /** A ticket is good for some minutes: when one is refused, the page around this one is asked for the next. */
  async function post(path, params) {
    const response = await send(path, params);
    if (response.status !== 404 || !secret.startsWith("ticket.") || parent === window) return response;
    renewing ??= renewed().finally(() => {
      renewing = undefined;
    });
    return (await renewing) ? send(path, params) : response;
  }

  function renewed() {
    return new Promise((resolve) => {
      const stop = (isNew) => {
        removeEventListener("message", listen);
        clearTimeout(late);
        resolve(isNew);
      };
      const listen = ({ source, data }) => {
        if (source !== parent || data?.type !== "kenning:ticket") return;
        secret = String(data.ticket);
        stop(true);
      };
      const late = setTimeout(stop, TICKET_MS, false);
      addEventListener("message", listen);
      parent.postMessage({ type: "kenning:ticket-wanted" }, "*");
    });
  }

  /** Only the page itself is moved here by a link; its filters come from its own address. */
  async function load() {
    const params = new URLSearchParams(choice);
    params.set("width", String(view.clientWidth));
    const response = await post(`${location.pathname}/view`, params).catch(() => undefined);
    view.removeAttribute("aria-busy");
    if (response?.ok) {
      view.innerHTML = await response.text();
      document.title = view.querySelector("h1")?.textContent ?? "";
      drawAll();
      return;
    }
    const said = await response?.json().catch(() => undefined);
    const words = document.createElement("p");
    words.className = "problem";
    words.textContent = response?.status === 404 ? broken : (said?.message ?? unreachable);
    view.replaceChildren(words);
  }

  function drawAll() {
    for (const chart of view.querySelectorAll(".chart")) void redraw(chart);
  }

  async function redraw(chart) {
    const isNarrow = matchMedia("(max-width: 720px)").matches;
    const [width, height] = [chart.clientWidth, isNarrow ? Number(chart.dataset.height) : chart.clientHeight];
    if (width < 100 || height < 40) return;
    const isAlike = (wanted, drawn) => Math.abs(wanted / drawn - 1) < STRETCH;
    if (isAlike(width, chart.dataset.width) && isAlike(height, chart.dataset.height)) return;
    const params = new URLSearchParams(choice);
    params.set("width", String(width));
    params.set("height", String(Math.max(80, height)));
    const { src } = chart.dataset;
    const response = await (isEmbed ? post(src, params) : fetch(`${src}?${params}`)).catch(() => undefined);
    if (!response?.ok) return;
    const fresh = document.createElement("div");
    fresh.innerHTML = await response.text();
    const drawn = fresh.querySelector(".chart");
    if (drawn === null) return;
    Object.assign(chart.dataset, drawn.dataset);
    chart.replaceChildren(...drawn.childNodes);
  }

  function hoverOf(chart) {
    chart.hover ??= { json: "", value: null };
    if (chart.hover.json !== chart.dataset.hover)
      chart.hover = { json: chart.dataset.hover, value: JSON.parse(chart.dataset.hover) };
    return chart.hover.value;
  }

  function textAt(hover, i) {
    if (hover.by === "mark") return [hover.titles[i], hover.lines[i]].filter(Boolean).join("\n");
    return [
      hover.titles[i],
      ...hover.series.map(({ name, values }) => `${hover.series.length > 1 ? `${name}: ` : ""}${values[i]}`),
    ].join("\n");
  }

  function tell(chart, i, x, y) {
    const hover = hoverOf(chart);
    tip.textContent = textAt(hover, i);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - box.height - 4))}px`;
    mark(chart, hover, i);
  }

  function mark(chart, hover, i) {
    view.querySelector(".guide")?.remove();
    if (hover.by !== "category" || hover.axis !== "x" || !hover.guide) return;
    const scale = chart.clientWidth / chart.dataset.width;
    const line = document.createElement("div");
    line.className = "guide";
    line.style.left = `${hover.at[i] * scale}px`;
    line.style.top = `${hover.guide.top * scale}px`;
    line.style.height = `${(hover.guide.bottom - hover.guide.top) * scale}px`;
    chart.append(line);
  }

  function hush() {
    tip.hidden = true;
    view.querySelector(".guide")?.remove();
  }

  function nearest(chart, hover, event) {
    const box = chart.getBoundingClientRect();
    const scale = chart.dataset.width / box.width;
    const here = (hover.axis === "x" ? event.clientX - box.left : event.clientY - box.top) * scale;
    let best = 0;
    for (let i = 1; i < hover.at.length; i++)
      if (Math.abs(hover.at[i] - here) < Math.abs(hover.at[best] - here)) best = i;
    return best;
  }

  view.addEventListener("pointermove", (event) => {
    const chart = event.target.closest?.(".chart");
    const hover = chart && hoverOf(chart);
    if (!hover) return hush();
    if (hover.by === "category")
      return tell(chart, nearest(chart, hover, event), event.clientX, event.clientY);
    const found = event.target.closest("[ecmeta_data_index]")?.getAttribute("ecmeta_data_index");
    if (found === null || found === undefined || hover.titles[found] === undefined) return hush();
    tell(chart, Number(found), event.clientX, event.clientY);
  });
  view.addEventListener("pointerleave", hush);
  view.addEventListener("focusout", hush);
  document.addEventListener("scroll", hush, { passive: true });

  view.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      hush();
      const choice = event.target.closest?.(".choice");
      choice?.querySelector("summary").focus();
      return closeChoices();
    }
    if (event.key === "Enter" && event.target.matches(".choice [type=search]")) event.preventDefault();
    const chart = event.target.closest?.(".chart");
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const hover = chart && hoverOf(chart);
    if (!hover || step === undefined) return;
    event.preventDefault();
    const count = hover.titles.length;
    chart.at = ((chart.at ?? (step > 0 ? -1 : 0)) + step + count) % count;
    const box = chart.getBoundingClientRect();
    tell(chart, chart.at, box.left + 24, box.top + 24);
  });

  view.addEventListener("change", (event) => {
    const form = event.target.closest("form.filters");
    if (form && event.target.matches("select")) form.requestSubmit();
  });
  /** What was chosen of several options is applied when their list is closed. */
  function closeChoices(but) {
    for (const choice of view.querySelectorAll(".choice[open]")) {
      if (choice === but) continue;
      choice.open = false;
      const isChanged = [...choice.querySelectorAll("[type=checkbox]")].some(
        (box) => box.checked !== box.defaultChecked,
      );
      if (isChanged) choice.closest("form").requestSubmit();
    }
  }
  document.addEventListener("click", (event) => closeChoices(event.target.closest?.(".choice")));
  view.addEventListener("focusout", (event) => {
    if (event.relatedTarget) closeChoices(event.relatedTarget.closest(".choice"));
  });
  view.addEventListener("click", (event) => {
    if (!event.target.matches?.("[data-clear]")) return;
    for (const box of event.target.closest(".choice").querySelectorAll("[type=checkbox]"))
      box.checked = false;
  });
  /** Other columns of a table, or a widget that the page had no room for, in its own place. */
  view.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[data-part]");
    if (!link) return;
    event.preventDefault();
    const part = link.closest(".part");
    const params = new URLSearchParams(choice);
    for (const [name, value] of new URL(link.href).searchParams) params.set(name, value);
    params.set("width", String(part.parentElement.clientWidth));
    const { src } = part.dataset;
    const response = await (isEmbed ? post(src, params) : fetch(`${src}?${params}`)).catch(() => undefined);
    if (!response?.ok) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = await response.text();
    const section = part.parentElement;
    part.replaceWith(fresh.content);
    section.querySelector("[tabindex]")?.focus();
    drawAll();
  });
  view.addEventListener("input", (event) => {
    if (!event.target.matches(".choice [type=search]")) return;
    const wanted = event.target.value.trim().toLowerCase();
    for (const option of event.target.closest(".choice").querySelectorAll(".options label"))
      option.hidden = !option.textContent.toLowerCase().includes(wanted);
  });
  view.addEventListener("submit", (event) => {
    if (!isEmbed) return;
    event.preventDefault();
    choice = new URLSearchParams(new FormData(event.target));
    void load();
  });

  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(drawAll, SETTLE_MS);
  });
  if (isEmbed) void load();
  else drawAll();
})();
