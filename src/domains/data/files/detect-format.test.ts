import { describe, expect, it } from "vitest";
import { xlsx, zip } from "../../../../test/support/data-files.ts";
import { detectFormat, parseFileType } from "./detect-format.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const book = xlsx({ sheets: [{ name: "A", rows: [["x"], [1]] }] });
const parquet = Buffer.from([...bytes("PAR1"), 0x15, 0x04, 0x15, 0x00, 0x00, 0x02]);

describe("by the bytes", () => {
  it.each([
    ["excel", book],
    ["parquet", parquet],
  ])("knows %s, whatever it is called", (format, bytesHead) => {
    expect(detectFormat({ bytesHead, fileName: "data.csv", contentType: "text/csv" })).toEqual({ format });
    expect(detectFormat({ bytesHead, fileType: "csv" })).toEqual({
      format,
      note: `The file was said to be csv, but it is ${format} and was read as that.`,
    });
  });

  it.each([
    ["an Excel file in the old .xls format", Buffer.from("d0cf11e0a1b11ae1", "hex"), "save it as .xlsx"],
    ["a zip archive", zip({ "a.csv": "a,b" }), "Unpack it"],
    [
      "OpenDocument",
      zip({ mimetype: { content: "application/vnd.oasis.opendocument.spreadsheet", stored: true } }),
      ".xlsx",
    ],
    ["a PDF document", bytes("%PDF-1.7"), "Export it"],
    ["an SQLite database", bytes("SQLite format 3\0"), "Export it"],
    ["an Avro file", bytes("Obj\x01"), "Parquet"],
    ["a text in UTF-32", Buffer.from("fffe000061000000", "hex"), "UTF-8"],
    ["zstd", Buffer.from("28b52ffd24", "hex"), "Unpack it"],
    ["a PNG image", Buffer.from("89504e470d0a1a0a", "hex"), "Export it"],
    ["neither text nor", Buffer.from([0, 1, 2, 3, 255, 254, 0, 7]), "base64"],
    ["a web page", bytes("<!DOCTYPE html><html><title>Sign in</title>"), "sign-in"],
    ["a web page", bytes("\n<html lang='en'>"), "sign-in"],
    ["compressed twice", Buffer.from([0x1f, 0x8b, 8, 0]), "Unpack it"],
  ])("refuses %s and says what to do", (what, bytesHead, hint) => {
    expect(() => detectFormat({ bytesHead, fileType: "csv" })).toThrow(
      expect.objectContaining({
        code: "unsupported",
        message: expect.stringContaining(what),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  it.each([
    "PARENT,NAME\n1,2",
    "PAR1,b\n1,2",
    "ORCID\tx\n1\t2",
    "BZhu,a\n1,2",
    "ARROW1,a\n1,2",
    'a,"\x1ab"\n1,2',
  ])("takes a text for a text: %j", (text) => {
    expect(["csv", "tsv"]).toContain(detectFormat({ bytesHead: bytes(text) }).format);
  });

  it.each(["", "  \n ", "\ufeff"])("has nothing to say of nothing: %j", (text) => {
    expect(() => detectFormat({ bytesHead: Buffer.from(text) })).toThrow(/is empty/);
  });
});

describe("by what was said", () => {
  it.each([
    [{ fileType: "tsv", fileName: "a.csv" }, "tsv"],
    [{ fileType: "CSV" }, "csv"],
    [{ fileName: "a.TSV", contentType: "text/csv" }, "tsv"],
    [{ fileName: "a.csv.gz" }, "csv"],
    [{ contentType: "text/tab-separated-values; charset=utf-8" }, "tsv"],
    [{ contentType: "text/plain" }, "csv"],
  ])("%o", (clues, format) => {
    expect(detectFormat({ bytesHead: bytes("a\n1"), ...clues })).toEqual({ format });
  });

  it("refuses types that it does not know", () => {
    expect(parseFileType(" .xlsx ")).toBe("excel");
    expect(parseFileType("")).toBeUndefined();
    expect(() => parseFileType("docx")).toThrow(
      expect.objectContaining({ code: "bad_request", hint: expect.stringContaining("csv, tsv, json") }),
    );
    expect(() => parseFileType("constructor")).toThrow(/no file type/);
  });

  it.each([
    ["json", "<a/>", "xml"],
    ["xml", '[{"a":1}]', "json"],
    ["excel", "a,b\n1,2", "csv"],
    ["parquet", '{"a":1}\n{"a":2}', "ndjson"],
  ])("%s that is %j is read as %s, with a note", (fileType, text, format) => {
    expect(detectFormat({ bytesHead: bytes(text), fileType })).toEqual({
      format,
      note: expect.stringContaining(fileType),
    });
  });

  it("believes in CSV when it is declared, and not when a file is only called so", () => {
    const bytesHead = bytes('[{"a":1}]');
    expect(detectFormat({ bytesHead, fileType: "csv" })).toEqual({
      format: "csv",
      note: expect.stringContaining("json"),
    });
    expect(detectFormat({ bytesHead, fileName: "a.csv" })).toEqual({ format: "json" });
  });

  it("leaves it to the lines whether JSON is one or many", () => {
    expect(detectFormat({ bytesHead: bytes('{"a":1}\n{"a":2}'), fileType: "json" }).format).toBe("ndjson");
    expect(detectFormat({ bytesHead: bytes('[{"a":1}]'), fileType: "ndjson" }).format).toBe("json");
    expect(detectFormat({ bytesHead: bytes('{"a":[{"b":1}]}'), fileName: "a.jsonl" }).format).toBe("ndjson");
  });
});

describe("by its looks", () => {
  it.each([
    ["a,b\n1,2", "csv"],
    ["a;b\n1;2", "csv"],
    ["a\tb\n1\t2", "tsv"],
    ["a,\tb,\tc\n", "csv"],
    ['<?xml version="1.0"?><a/>', "xml"],
    ["<!-- c --><a/>", "xml"],
    ["< 5,> 5\n1,2", "csv"],
    ['{"a":1}', "json"],
    ["{\n}", "json"],
    ["[1, 2]", "json"],
    ["[[1],[2]]", "json"],
    ["[]", "json"],
    ['{"a":1}\r\n{"a":2}', "ndjson"],
    ["[1]\n[2]", "ndjson"],
    ["[2024-01-01] started,ok\n", "csv"],
    ["{name},b\n", "csv"],
  ])("%j is %s", (text, format) => {
    expect(detectFormat({ bytesHead: bytes(text) })).toEqual({ format });
  });

  it.each([
    [
      "utf-16 with a mark",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('[{"a":1}]', "utf16le")]),
      "json",
    ],
    ["utf-16 without one", Buffer.from("name\tcity\nAnna\tBern\n", "utf16le"), "tsv"],
    ["utf-8 with a mark", Buffer.from("\ufeff<a/>"), "xml"],
    ["letters of windows-1252", bytes("Stra\xdfe;Stadt\nK\xf6nigsallee;K\xf6ln"), "csv"],
  ])("through %s", (_, bytesHead, format) => {
    expect(detectFormat({ bytesHead }).format).toBe(format);
  });
});

describe("what a name says wrongly", () => {
  it.each([
    ["tsv", "id\tname\n1\tBob\n"],
    ["csv", "id,name\n1,Bob\n"],
  ])("%s that is called JSON is read as what it is", (format, text) => {
    const note = `The file was said to be json, but it is ${format} and was read as that.`;
    expect(detectFormat({ bytesHead: bytes(text), fileName: "data.json" })).toEqual({ format, note });
    expect(detectFormat({ bytesHead: bytes(text), fileType: "json" })).toEqual({ format, note });
  });

  it("other texts that are called JSON are left to its reader, which says what is wrong", () => {
    const found = detectFormat({ bytesHead: bytes("callback({});\nx\n"), fileName: "data.json" });
    expect(found).toEqual({ format: "json" });
  });

  it("workbooks of Excel 2003 are no XML of rows", () => {
    const text = '<?xml version="1.0"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">';
    expect(detectFormat({ bytesHead: bytes(text), fileName: "book.xml" })).toEqual({ format: "excel" });
    expect(detectFormat({ bytesHead: bytes(text), fileType: "xml" })).toEqual({ format: "excel" });
  });
});
