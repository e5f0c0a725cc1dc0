/*
 * The page inside the client: shows the server's drawing and asks for another when its size or language is another.
 * It speaks the `ui/` messages of MCP Apps itself, because their library is forty times as long.
 */
(() => {
  const REDRAW_MS = 150;
  /** A drawing is stretched by this much before it is drawn again. */
  const STRETCH = 0.08;
  const root = document.documentElement;
  const place = document.getElementById("picture");
  const tip = document.getElementById("tip");
  const waiting = new Map();
  let lastId = 0;
  let host = {};
  let picture;
  let guide;
  let turn = 0;
  let lastWidth = 0;
  let timer;

  function send(message) {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  function ask(method, params) {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  }

  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== "2.0") return;
    if (data.method === undefined) {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) asked?.reject(new Error(data.error.message));
      else asked?.resolve(data.result);
    } else if (data.id === undefined) hear(data.method, data.params ?? {});
    else if (data.method === "ping" || data.method === "ui/resource-teardown")
      send({ id: data.id, result: {} });
    else send({ id: data.id, error: { code: -32601, message: "Not known here" } });
  });

  function hear(method, params) {
    if (method === "ui/notifications/host-context-changed") {
      host = { ...host, ...params };
      adapt();
    }
    if (method === "ui/notifications/tool-result") take(params);
    if (method === "ui/notifications/tool-cancelled") hide();
  }

  function take({ _meta, structuredContent, isError }) {
    picture = isError ? undefined : _meta?.["kenning/picture"];
    const chart = structuredContent?.charts?.[0];
    // A client may hand on what its model sees and nothing else.
    if (picture === undefined && chart !== undefined && !isError)
      picture = { subject: { kind: "spec", chart }, canRedraw: true };
    if (picture === undefined) hide();
    else adapt();
  }

  function hide() {
    picture = undefined;
    place.hidden = true;
    tip.hidden = true;
    send({ method: "ui/notifications/size-changed", params: { height: 0 } });
  }

  /** The theme is the page's own business; another size or language is the server's. */
  function adapt() {
    root.dataset.theme = host.theme === "dark" ? "dark" : "light";
    root.style.colorScheme = root.dataset.theme;
    for (const [name, value] of Object.entries(host.styles?.variables ?? {}))
      if (/^--[\w-]+$/.test(name) && value) root.style.setProperty(name, value);
    if (picture === undefined) return;
    render();
    clearTimeout(timer);
    timer = setTimeout(redraw, picture.light === undefined ? 0 : REDRAW_MS);
  }

  function wanted() {
    const { height } = host.containerDimensions ?? {};
    return {
      width: clamp(root.clientWidth),
      ...(height === undefined ? {} : { height: clamp(height) }),
      ...(host.locale === undefined ? {} : { locale: host.locale }),
    };
  }

  function clamp(pixels) {
    return Math.min(2000, Math.max(160, Math.round(pixels)));
  }

  function isAsWanted(look) {
    const { width, light, look: drawn = {} } = picture;
    const isSameLanguage = (drawn.locale ?? "en-US") === (look.locale ?? "en-US");
    const isSameSize = Math.abs(look.width / width - 1) < STRETCH && drawn.height === look.height;
    return light !== undefined && isSameLanguage && isSameSize;
  }

  async function redraw() {
    if (!picture?.canRedraw || root.clientWidth === 0) return;
    const look = wanted();
    if (isAsWanted(look)) return;
    turn += 1;
    const [own, of] = [turn, picture];
    const call = { name: "draw_picture", arguments: { subject: of.subject, ...look } };
    const { structuredContent: drawn, isError } = await ask("tools/call", call).catch(() => ({
      isError: true,
    }));
    if (own !== turn || of !== picture) return;
    // Where it cannot be drawn again, what is there is shown as large as it fits.
    if (isError || drawn?.light === undefined) of.canRedraw = false;
    else Object.assign(of, drawn, { look });
    if (of.light === undefined) hide();
    else render();
  }

  function render() {
    const svg = picture[root.dataset.theme];
    if (svg === undefined) return;
    const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    guide = document.createElement("div");
    guide.id = "guide";
    guide.hidden = true;
    place.replaceChildren(document.importNode(drawn, true), guide);
    place.hidden = false;
    tip.hidden = true;
    const height = Math.ceil(place.getBoundingClientRect().height);
    send({ method: "ui/notifications/size-changed", params: { height } });
  }

  function point(event) {
    const { hover } = picture ?? {};
    if (!hover) return;
    const found = hover.by === "category" ? nearest(event, hover) : markAt(event);
    if (found === undefined) leave();
    else show(event, hover, found);
  }

  function nearest(event, { axis, at, guide: line }) {
    const box = place.getBoundingClientRect();
    const scale = picture.width / box.width;
    const here = (axis === "x" ? event.clientX - box.left : event.clientY - box.top) * scale;
    let best = 0;
    for (let i = 1; i < at.length; i++) if (Math.abs(at[i] - here) < Math.abs(at[best] - here)) best = i;
    const step = at.length > 1 ? Math.abs(at[1] - at[0]) : picture.width;
    if (Math.abs(at[best] - here) > Math.max(step, 24)) return undefined;
    guide.hidden = !line;
    if (line) {
      const [left, top, height] = [at[best], line.top, line.bottom - line.top].map(
        (pixels) => pixels / scale,
      );
      guide.style.cssText = `left:${left}px;top:${top}px;height:${height}px;width:1px`;
    }
    return best;
  }

  function markAt({ target }) {
    const index = target.getAttribute?.("ecmeta_data_index");
    return index === null || index === undefined ? undefined : Number(index);
  }

  function show({ clientX, clientY }, hover, index) {
    const lines =
      hover.by === "category"
        ? hover.series.map(({ name, colour, values }) =>
            line(hover.series.length > 1 && { name, colour }, values[index]),
          )
        : [line(false, hover.lines[index])];
    const title = document.createElement("b");
    title.textContent = hover.titles[index];
    tip.replaceChildren(title, ...lines);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const [right, bottom] = [root.clientWidth - width - 4, root.clientHeight - height - 4];
    tip.style.left = `${Math.max(4, clientX + 14 > right ? clientX - width - 14 : clientX + 14)}px`;
    tip.style.top = `${Math.max(4, Math.min(bottom, clientY + 14))}px`;
  }

  function line(key, words) {
    const row = document.createElement("div");
    if (key) {
      const mark = document.createElement("i");
      mark.style.background = key.colour;
      const name = document.createElement("span");
      name.textContent = key.name;
      row.append(mark, name);
    }
    const value = document.createElement("span");
    value.textContent = words;
    row.append(value);
    return row;
  }

  function leave() {
    tip.hidden = true;
    if (guide) guide.hidden = true;
  }

  place.addEventListener("pointermove", point);
  place.addEventListener("pointerdown", point);
  place.addEventListener("pointerleave", leave);
  new ResizeObserver(() => {
    if (picture !== undefined && root.clientWidth !== lastWidth) adapt();
    lastWidth = root.clientWidth;
  }).observe(root);

  ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "kenning-chart", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  }).then(({ hostContext }) => {
    host = { ...hostContext, ...host };
    adapt();
    send({ method: "ui/notifications/initialized", params: {} });
  });
})();
