import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { Resvg } from "@resvg/resvg-js";

const FONT = fileURLToPath(import.meta.resolve("@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf"));

/** Lines of text as a scanner would see them; without any, an empty sheet. */
function render(lines: readonly string[]) {
  const texts = lines.map((line, i) => `<text x="80" y="${120 + i * 90}" font-size="44">${line}</text>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="500"><rect width="100%" height="100%" fill="#fff"/>${texts.join("")}</svg>`;
  const font = { fontFiles: [FONT], loadSystemFonts: false, defaultFontFamily: "Inter" };
  return new Resvg(svg, { font }).render();
}

export function pictureOf(lines: readonly string[]): Buffer {
  return render(lines).asPng();
}

/** A PDF whose one page is a picture. */
export function scanOf(lines: readonly string[]): Buffer {
  const { width, height, pixels } = render(lines);
  const gray = deflateSync(Buffer.from(pixels.filter((_, i) => i % 4 === 0)));
  const drawn = "q 595 0 0 240 0 0 cm /I Do Q";
  const image = `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode/Length ${gray.length}>>`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 240]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj
4 0 obj<</Length ${drawn.length}>>stream
${drawn}
endstream endobj
5 0 obj${image}stream
`),
    gray,
    Buffer.from("\nendstream endobj\ntrailer<</Root 1 0 R>>\n"),
  ]);
}
