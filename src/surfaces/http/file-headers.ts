/** The headers of a file that a browser shows, or saves under its name. */
export function fileHeaders(
  name: string,
  mimeType: string,
  disposition: "inline" | "attachment" = "attachment",
): Headers {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return new Headers({
    // Browsers take a text without it for what their language used to be written in.
    "content-type": mimeType.startsWith("text/") ? `${mimeType}; charset=utf-8` : mimeType,
    "content-disposition": `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  });
}
