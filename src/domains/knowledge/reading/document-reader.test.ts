import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { xlsx, zip } from "../../../../test/support/data-files.ts";
import { silentLog } from "../../../../test/support/database.ts";
import {
  compound,
  oldExcel,
  oldPowerPoint,
  oldWord,
  outlookMail,
} from "../../../../test/support/office-files.ts";
import { pictureOf, scanOf } from "../../../../test/support/pictures.ts";
import { tempEntries } from "../../../../test/support/temp-entries.ts";
import { extensionOf } from "../file-kinds.ts";
import { DocumentReader } from "./document-reader.ts";
import { isGarbled, withOcrText } from "./file-pages.ts";
import { canOcr } from "./ocr.ts";
import type { ReadDocument } from "./read-document.ts";

let folder: string;
let reader: DocumentReader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kenning-reader-"));
  reader = await DocumentReader.open(join(folder, "readers"), silentLog);
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

async function read(name: string, content: string | Buffer): Promise<ReadDocument> {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const bytes = Buffer.byteLength(content);
  const signal = new AbortController().signal;
  return reader.read({ path, bytes, extension: extensionOf(name), scope: "1", signal });
}

const W = 'xmlns:w="w"';
const paragraph = (text: string, style = "") =>
  `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const relations = (targets: Record<string, string>) =>
  `<Relationships>${Object.entries(targets)
    .map(([id, target]) => `<Relationship Id="${id}" Type="x/${id.replace(/\d/g, "")}" Target="${target}"/>`)
    .join("")}</Relationships>`;
const CONTENT_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const docx = (body: string) =>
  zip({
    "[Content_Types].xml": CONTENT_TYPES,
    "word/_rels/document.xml.rels": relations({ styles1: "styles.xml" }),
    "word/styles.xml": `<w:styles ${W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    "word/document.xml": `<w:document ${W}><w:body>${body}</w:body></w:document>`,
  });
const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
const slide = (title: string, text: string) =>
  `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:ph type="ftr"/><a:p><a:t>Confidential</a:t></a:p></p:sp><p:graphicFrame/><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:sp><p:sp><p:ph type="sldNum"/><a:p><a:t>7</a:t></a:p></p:sp><p:graphicFrame><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:graphicFrame></p:sld>`;
/** Slides lie in their archive in another order than they are shown, and one number is missing. */
const pptx = zip({
  "[Content_Types].xml":
    '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
  "_rels/.rels": relations({ officeDocument1: "ppt/presentation.xml" }),
  "ppt/presentation.xml":
    '<p xmlns:r="r"><sldMasterId r:id="slideMaster9"/><sldId id="256" r:id="slide1"/><sldId id="257" r:id="slide2"/><sldId id="258" r:id="slide1"/></p>',
  "ppt/_rels/presentation.xml.rels": relations({ slide1: "slides/slide4.xml", slide2: "slides/slide1.xml" }),
  "ppt/slides/slide4.xml": slide("Aims", "Grow by half"),
  "ppt/slides/slide1.xml": slide("Means", "Sell more tea"),
  "ppt/slides/_rels/slide4.xml.rels": relations({
    notesSlide1: "../notesSlides/notesSlide1.xml",
    diagramData1: "../diagrams/data1.xml",
  }),
  "ppt/notesSlides/notesSlide1.xml": `<n xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:t>Say it slowly</a:t></a:p></p:sp><p:sp><p:ph type="sldNum"/><a:p><a:t>7</a:t></a:p></p:sp></n>`,
  "ppt/diagrams/data1.xml": '<d xmlns:a="a"><t><a:p><a:t>A ring</a:t></a:p></t></d>',
});
const odt = zip({
  mimetype: { content: "application/vnd.oasis.opendocument.text", stored: true },
  "content.xml":
    '<o:c xmlns:o="o" xmlns:text="text" xmlns:table="table"><text:h text:outline-level="2">Ziel</text:h><text:p>Mehr<text:s/>Tee.</text:p><table:table table:name="Tabelle1"><table:table-row><table:table-cell><text:p>Kanne</text:p></table:table-cell></table:table-row></table:table></o:c>',
});
const odsCell = (text: string, times = 1) =>
  `<table:table-cell table:number-columns-repeated="${times}">${text && `<text:p>${text}</text:p>`}</table:table-cell>`;
const ods = zip({
  mimetype: { content: "application/vnd.oasis.opendocument.spreadsheet", stored: true },
  "content.xml": `<o:c xmlns:o="o" xmlns:text="text" xmlns:table="table"><o:spreadsheet><table:table table:name="Ernte"><table:table-row>${odsCell("Jahr")}${odsCell("leer", 2)}${odsCell("Menge")}${odsCell("", 16380)}</table:table-row><table:table-row>${odsCell("2026")}${odsCell("", 2)}${odsCell("7")}</table:table-row></table:table></o:spreadsheet></o:c>`,
});
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 60>>stream
BT /F1 18 Tf 20 100 Td (The answer is forty two here.) Tj ET 
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`;
const MAIL = `From: Ada <ada@example.com>\r\nTo: bob@example.com\r\nSubject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=\r\nDate: Mon, 2 Nov 2026 10:00:00 +0000\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>It is <b>large</b>.</p><script>alert(1)</script>\r\n`;

/** An e-book of these chapters, which lie in its archive in another order. */
function book(chapters: Record<string, string>, more: Record<string, string> = {}): Buffer {
  const names = Object.keys(chapters);
  return zip({
    mimetype: { content: "application/epub+zip", stored: true },
    "META-INF/container.xml":
      '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    "OPS/book.opf": `<package><manifest>${names.map((name) => `<item id="${name}" href="${name}.xhtml"/>`).join("")}</manifest><spine>${names.map((name) => `<itemref idref="${name}"/>`).join("")}</spine></package>`,
    ...Object.fromEntries(names.toReversed().map((name) => [`OPS/${name}.xhtml`, chapters[name] ?? ""])),
    ...more,
  });
}

describe("what is read", () => {
  it.each([
    [
      "a.docx",
      docx(
        paragraph("Ziel", "berschrift1") +
          paragraph("Mehr Tee.") +
          `<w:tbl><w:tr>${cell("Jahr")}${cell("Menge")}</w:tr><w:tr>${cell("2026")}${cell("7")}</w:tr></w:tbl>`,
      ),
      "# Ziel\n\nMehr Tee.\n\n| Jahr | Menge |\n| --- | --- |\n| 2026 | 7 |",
    ],
    ["a.pptx", pptx, "## Aims\n\nGrow by half\n\nSay it slowly\n\nA ring\n\n## Means\n\nSell more tea"],
    [
      "a.ppt",
      oldPowerPoint([
        { title: "Aims", box: "Grow by half\rand more", notes: "Say it slowly" },
        { title: "Means", box: "Tee für € 5", notes: "" },
      ]),
      "## Aims\n\nGrow by half\n\nand more\n\nSay it slowly\n\n## Means\n\nTee für € 5",
    ],
    [
      "moved.docx",
      zip({
        "[Content_Types].xml":
          '<Types><Override PartName="/word/document2.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": relations({ officeDocument1: "/word/document2.xml" }),
        "word/document2.xml": `<w:document ${W}><w:moveFrom>${paragraph("Mehr Tee.")}</w:moveFrom>${paragraph("Mehr Tee.")}</w:document>`,
      }),
      "Mehr Tee.",
    ],
    [
      "nested.docx",
      Buffer.concat([
        docx(
          `<w:p><w:r><w:t>Out</w:t></w:r><w:txbxContent>${paragraph("A box.")}</w:txbxContent><w:r><w:t>side</w:t></w:r></w:p><w:tbl><w:tr><w:tc>${paragraph("Before", "berschrift1")}<w:tbl><w:tr>${cell("a")}${cell("b")}</w:tr></w:tbl>${paragraph("After")}</w:tc>${cell("Beside")}</w:tr></w:tbl>`,
        ),
        Buffer.from("bytes that a mail server left"),
      ]),
      "A box.\n\nOutside\n\n# Before\n\n| a | b |\n| --- | --- |\n\nAfter\n\nBeside",
    ],
    [
      "of-a-page.docx",
      zip({
        "[Content_Types].xml": CONTENT_TYPES,
        "word/document.xml": `<w:document ${W}><w:altChunk/></w:document>`,
        "word/_rels/document.xml.rels": relations({ aFChunk1: "page.html", aFChunk2: "saved.mht" }),
        "word/page.html": "<h1>Big</h1><p>It is large.</p>",
        "word/saved.mht": MAIL,
      }),
      "# Big\n\nIt is large.\n\nIt is large.",
    ],
    ["a.odt", odt, "## Ziel\n\nMehr Tee.\n\nKanne"],
    [
      "a.ods",
      ods,
      "## Ernte\n\n| Jahr | leer | leer | Menge |\n| --- | --- | --- | --- |\n| 2026 |  |  | 7 |",
    ],
    ["a.pdf", Buffer.from(PDF, "latin1"), "## The answer is forty two here."],
    [
      "a.eml",
      MAIL,
      "# Größe\n\nFrom: Ada <ada@example.com>\nTo: <bob@example.com>\nDate: 2026-11-02T10:00:00.000Z\n\nIt is large.",
    ],
    [
      "a.html",
      "<title>T</title><h1>Big</h1><ul><li>one<li>two</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><script>x</script><pre>a\n b</pre>",
      "# Big\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```\na\n b\n```",
    ],
    ["a.rtf", "{\\rtf1{\\fonttbl{\\f0 Arial;}}Gr\\'f6\\'dfe \\u8364? 5\\par Next}", "Größe € 5\n\nNext"],
    [
      "other-letters.rtf",
      "{\\rtf1\\ansicpg1252{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 Mincho;}}{\\f1 \\'ec\\'e8\\'f0} {\\f2 \\'93\\'fa\\'96\\'7b}\\par{\\uc2\\u8212--}\\emdash}",
      "мир 日本\n\n——",
    ],
    [
      "a.doc",
      oldWord("One\r\x13 HYPERLINK x \x14two\x15\r", "a\x07b\x07\x07c\x07d\x07\x07\u20ac 5\r"),
      "One\n\ntwo\n\na | b\nc | d\n€ 5",
    ],
    [
      "a.xls",
      oldExcel({
        People: [
          ["name", "age"],
          ["Ada", 36],
        ],
      }),
      "## People\n\n| name | age |\n| --- | --- |\n| Ada | 36 |",
    ],
    ["b.xls", oldExcel({ Ages: [["Ada", 36]] }, "biff2"), "## Sheet1\n\n| Ada | 36 |\n| --- | --- |"],
    ["a.xlsb", oldExcel({ Ages: [["Ada", 36]] }, "xlsb"), "## Ages\n\n| Ada | 36 |\n| --- | --- |"],
    [
      "a.msg",
      outlookMail({ "0037": "Größe", "0C1A": "Ada", "1000": "It is large." }),
      "# Größe\n\nFrom: Ada\n\nIt is large.",
    ],
    [
      "a.epub",
      book({ one: "<h1>One</h1><p>First.</p>", two: "<h1>Two</h1><p>Second.</p>" }),
      "# One\n\nFirst.\n\n# Two\n\nSecond.",
    ],
    ["a.json", '{"name":"Ada","age":36}', '{\n "name": "Ada",\n "age": 36\n}'],
    ["a.csv", "name,age\nAda,36\n", "name,age\nAda,36\n"],
    ["latin.txt", Buffer.from("Größe", "latin1"), "Größe"],
    ["wide.txt", Buffer.from("\ufeffGröße", "utf16le"), "Größe"],
  ])("%s", async (name, content, text) => {
    expect((await read(name, content as string | Buffer)).text).toBe(text);
  });

  it("tells pages and sections of pieces", async () => {
    const { chunks, pages } = await read("a.pptx", pptx);
    expect(pages).toBe(2);
    expect(chunks).toMatchObject([
      { page: 1, titlePath: ["Aims"], start: 0 },
      { page: 2, titlePath: ["Means"], content: "## Means\n\nSell more tea" },
    ]);
  });

  it("gives each piece one page, that of its text", async () => {
    const { chunks } = await read("a.txt", "One.\n\fTwo.\n\nMore of two.");
    expect(chunks).toMatchObject([
      { page: 1, content: "One." },
      { page: 2, content: "Two.\n\nMore of two." },
    ]);
  });

  it("reads sheets as tables, each below its name", async () => {
    const { text } = await read(
      "a.xlsx",
      xlsx({
        sheets: [
          {
            name: "People",
            rows: [
              ["name", "age"],
              ["Ada", 36],
            ],
          },
        ],
      }),
    );
    expect(text).toMatch(/^## People\n\n\| name \| age \|\n\| --- \| --- \|\n\| Ada \| 36 \|$/);
  });

  it("goes by the bytes where the name lies", async () => {
    expect(await read("a.docx", Buffer.from(PDF, "latin1"))).toMatchObject({
      mimeType: "application/pdf",
      pages: 1,
    });
    expect((await read("a.pdf", "just words")).text).toBe("just words");
  });
});

describe("a page that a second reader looks at", () => {
  const GLUED = "Explaintheimportanceofaskingquestions. Statethestepsofthescientificmethod. ".repeat(2);

  it.each([
    ["words without spaces", GLUED, true],
    ["letters that are there twice", "BBOOLLDD TTEEXXTT and more of it", true],
    [
      "a long word",
      `Donaudampfschifffahrtsgesellschaft ${"und der Kapitän grüßt zurück ".repeat(20)}`,
      false,
    ],
    ["no words", "§ 12 ∑ 4711", false],
  ])("%s", (_, text, garbled) => expect(isGarbled(text)).toBe(garbled));

  it("is taken as that one has it, unless it is no better", () => {
    const content = { pages: [{ page: 1, markdown: GLUED }], notes: [], scanned: [1] };
    const seen = (text: string) => withOcrText(content, [{ page: 1, text, isRecognised: false }]).pages;
    expect(seen("Explain the importance of it.")).toMatchObject([
      { markdown: "Explain the importance of it." },
    ]);
    expect(seen(`${GLUED} and more`)).toMatchObject(content.pages);
    expect(withOcrText(content, null)).toMatchObject({ pages: content.pages, notes: [] });
  });
});

describe.skipIf(!canOcr())("texts in pictures", () => {
  const ENGLISH = ["Invoice number 4711 for office chairs", "Payable within 30 days."];
  const GERMAN = ["Rechnung für Büromöbel", "Zahlbar ist die Größe in 30 Tagen."];

  it.each([
    ["a.png", pictureOf(ENGLISH), ENGLISH],
    ["a.png", pictureOf(GERMAN), GERMAN],
    ["a.pdf", scanOf(ENGLISH), ENGLISH],
    ["a.pdf", scanOf(GERMAN), GERMAN],
  ])("%s is recognised", async (name, content, lines) => {
    const { text, pages, notes, mimeType } = await read(name, content);
    expect(text.replace(/\s+/g, " ")).toBe(lines.join(" "));
    expect([pages, mimeType]).toEqual([1, name === "a.png" ? "image/png" : "application/pdf"]);
    expect(notes).toEqual([expect.stringMatching(/recognised/)]);
  });

  it("says so where there is none", async () => {
    await expect(read("a.png", pictureOf([]))).rejects.toThrow(/no text was recognised/);
  });
});

describe("hostile and broken files fail alone, with a reason", () => {
  const bomb = docx(paragraph("x".repeat(400_000_000 / 4)));
  it.each([
    ["a bomb", "a.docx", bomb, /times its size|memory|unpacks/],
    ["a cut archive", "a.docx", docx(paragraph("x")).subarray(0, 200), /./],
    [
      "a document type",
      "a.odt",
      zip({
        mimetype: { content: "application/vnd.oasis.opendocument.text", stored: true },
        "content.xml": '<!DOCTYPE x [<!ENTITY e "boo">]><x>&e;</x>',
      }),
      /document type/,
    ],
    [
      "a locked archive",
      "a.docx",
      zip({
        "[Content_Types].xml":
          '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "word/document.xml": { content: "x", says: { isEncrypted: true } },
      }),
      /password/,
    ],
    [
      "a workbook with a password",
      "a.xlsx",
      compound({ EncryptedPackage: Buffer.alloc(5_000) }),
      /protected by a password/,
    ],
    [
      "a book with a password",
      "a.epub",
      book({ one: "x" }, { "META-INF/encryption.xml": '<e><r URI="OPS/one.xhtml"/></e>' }),
      /protected by a password/,
    ],
    ["nothing but white space", "a.txt", " \n", /no text/],
    ["a broken PDF", "a.pdf", Buffer.from("%PDF-1.4\n%âãÏÓ\nnothing", "latin1"), /damaged/],
    [
      "a picture",
      "a.png",
      Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
      /no text was recognised/,
    ],
    [
      "noise",
      "a.bin",
      Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * 37) % 256)),
      /cannot be read/,
    ],
    [
      "a program",
      "a.txt",
      Buffer.from("7f454c4602010100000000000000000002003e0001000000", "hex"),
      /cannot be read/,
    ],
  ])("%s", async (_, name, content, reason) => {
    await expect(read(name, content)).rejects.toThrow(reason);
    await expect.poll(() => tempEntries(join(folder, "readers"))).toEqual([]);
  });

  it("and others are read after them", async () => {
    expect((await read("after.html", "<p>fine</p>")).text).toBe("fine");
  });
});
