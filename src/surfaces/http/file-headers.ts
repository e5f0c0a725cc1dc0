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
    "content-type": mimeType,
    "content-disposition": `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  });
}
