import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import type { PDFiumPage } from "@hyzyla/pdfium";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import { BARE_CHARACTERS, lockedFile, type PageText } from "./file-pages.ts";

const require = createRequire(import.meta.url);
const CORE = "tesseract.js-core/tesseract-core-simd-lstm";
const LANGUAGES = ["deu", "eng"] as const;
const dataOf = (language: string) =>
  `@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`;

/** OCR: Tesseract and PDFium as WebAssembly, with English and German. */
const PARTS = [`${CORE}.wasm`, "@hyzyla/pdfium/pdfium.wasm", ...LANGUAGES.map(dataOf)];

/** True if the optional packages are there. */
export function canOcr(): boolean {
  try {
    for (const part of PARTS) require.resolve(part);
    return true;
  } catch {
    return false;
  }
}

/** The little that is used of Tesseract. */
interface Tesseract {
  FS: { writeFile(path: string, bytes: Uint8Array): void };
  TessBaseAPI: new () => {
    Init(path: null, languages: string, mode: number): number;
    /** 1 where the picture cannot be read. */
    SetImageFile(orientation: number, angle: number): number;
    Recognize(monitor: null): number;
    GetUTF8Text(): string;
    MeanTextConf(): number;
    Clear(): void;
  };
}

/** Only the network that reads lines, which is the better of its two ways. */
const LSTM_ONLY = 1;
const DPI = 200;
const POINTS_PER_INCH = 72;
/** Below it, what was recognised is the grain of a picture. */
const LEAST_CONFIDENCE = 40;

/** Recognises texts. Loads all that it needs when it is opened: afterwards its process may not read it. */
export class OcrEngine {
  readonly #engine: Tesseract;
  readonly #api: InstanceType<Tesseract["TessBaseAPI"]>;
  readonly #pdfium: Uint8Array;

  static async open(): Promise<OcrEngine> {
    const create = require(`${CORE}.js`) as (options: object) => Promise<Tesseract>;
    const engine = await create({ wasmBinary: file(`${CORE}.wasm`), print() {}, printErr() {} });
    for (const language of LANGUAGES)
      engine.FS.writeFile(`${language}.traineddata`, gunzipSync(file(dataOf(language))));
    return new OcrEngine(engine);
  }

  private constructor(engine: Tesseract) {
    this.#engine = engine;
    this.#pdfium = file("@hyzyla/pdfium/pdfium.wasm");
    this.#api = new engine.TessBaseAPI();
    if (this.#api.Init(null, LANGUAGES.join("+"), LSTM_ONLY) !== 0)
      throw new Error("text recognition does not start");
  }

  /** The text of a picture, empty where there is none. */
  picture(bytes: Uint8Array): string {
    this.#engine.FS.writeFile("/input", bytes);
    if (this.#api.SetImageFile(1, 0) === 1)
      throw new AppError("unsupported", "Pictures of this kind cannot be read.");
    this.#api.Recognize(null);
    const text = this.#api.GetUTF8Text().trim();
    const isText = this.#api.MeanTextConf() >= LEAST_CONFIDENCE;
    this.#api.Clear();
    return isText ? text : "";
  }

  /** The texts of these pages of a PDF: their own where they have one, otherwise those of their pictures, as far as there is time. */
  async pages(bytes: Uint8Array, wanted: readonly number[] | "all"): Promise<PageText[]> {
    const { PDFiumLibrary } = await pdfium;
    const library = await PDFiumLibrary.init({ wasmBinary: this.#pdfium.buffer as ArrayBuffer });
    const document = await library.loadDocument(bytes).catch((error: unknown) => {
      throw /password/i.test(messageOf(error)) ? lockedFile(error) : error;
    });
    const numbers =
      wanted === "all" ? Array.from({ length: document.getPageCount() }, (_, i) => i + 1) : wanted;
    const until = performance.now() + LIMITS.knowledge.recognitionMs;
    let left: number = LIMITS.knowledge.recognisedPages;
    const texts: PageText[] = [];
    for (const number of numbers) {
      const page = document.getPage(number - 1);
      const own = page.getText().replace(/\r\n?/g, "\n").trim();
      const isBare = own.length < BARE_CHARACTERS && left-- > 0 && performance.now() < until;
      const recognised = isBare ? this.picture(await pictureOf(page)) : "";
      const isRecognised = recognised.length > own.length;
      texts.push({ page: number, text: isRecognised ? recognised : own, isRecognised });
    }
    return texts;
  }
}

async function pictureOf(page: PDFiumPage): Promise<Uint8Array> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  const most = Math.sqrt(LIMITS.knowledge.recognisedPixels / (originalWidth * originalHeight));
  const scale = Math.min(DPI / POINTS_PER_INCH, most);
  const { width, height, data } = await page.render({ scale, render: "bitmap", colorSpace: "Gray" });
  return grayMap(width, height, data);
}

/** Loaded with this module, and only where it is there. */
const pdfium = import("@hyzyla/pdfium");
pdfium.catch(() => undefined);

/** The plainest of all picture formats. */
function grayMap(width: number, height: number, pixels: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]);
}

function file(name: string): Uint8Array {
  return new Uint8Array(readFileSync(require.resolve(name)));
}
