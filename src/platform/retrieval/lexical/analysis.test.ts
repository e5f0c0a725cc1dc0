import { describe, expect, it } from "vitest";
import { RECIPES } from "../recipes.ts";
import { analyseEntry, analyseQuery } from "./analysis.ts";
import { LexicalIndex } from "./lexical-index.ts";

function languageOf(body: string): string {
  return analyseEntry({ id: 1, seq: 1, body }, RECIPES.document).language;
}

/** Which of these texts a question finds, best first. */
function found(question: string, ...texts: string[]): string[] {
  const index = new LexicalIndex(RECIPES.document);
  for (const [id, body] of texts.entries()) index.put({ id, seq: 1, body });
  const { words } = analyseQuery(question, index.languages, index.allLanguages());
  const hits = index.search(words, index.mask(), 10);
  return hits.map(({ slot }) => texts[index.slots.ids[slot]!]!);
}

describe("languages", () => {
  it.each([
    ["en", "The contract ends when the last invoice has been paid."],
    ["de", "Der Vertrag endet, wenn die letzte Rechnung bezahlt ist."],
    ["fr", "Le contrat prend fin quand la dernière facture est payée."],
    ["es", "El contrato termina cuando se paga la última factura."],
    ["de", "Wer gründete das Unternehmen?"],
    // Names repeat, little words vary.
    [
      "en",
      "Teams include the Los Angeles Rams, Los Angeles Lakers, Los Angeles Kings and Los Angeles Angels of Anaheim",
    ],
    ["", "SKU 4711-B"],
  ])("%s is told by little words", (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
});

describe("words", () => {
  const payments = "The customer was paying several invoices.";
  const weather = "The weather is fine.";

  it("are found in other forms", () => {
    expect(found("customers pay invoice", payments, weather)).toEqual([payments]);
  });

  it("are found with and without accents", () => {
    const cafe = "The café in Zürich is open.";
    expect(found("cafe zurich", cafe, weather)).toEqual([cafe]);
    expect(found("CAFÉ ZÜRICH", cafe, weather)).toEqual([cafe]);
  });

  it("are found inside German compounds", () => {
    const long = "Die Haftpflichtversicherungsgesellschaft zahlt den Schaden nicht.";
    const other = "Der Hund bellt und die Katze schläft.";
    expect(found("Welche Versicherung zahlt?", other, long)[0]).toBe(long);
  });

  it("that say nothing count only when there are no others", () => {
    const band = "The Who played in London.";
    expect(found("the who", weather, band)[0]).toBe(band);
    expect(found("the invoices", payments, weather)).toEqual([payments]);
  });

  it("are found in whichever languages a collection has", () => {
    const german = "Die Rechnungen der Kunden sind bezahlt.";
    expect(found("Rechnung Kunde", german, payments)).toEqual([german]);
    expect(found("invoice customer", german, payments)[0]).toBe(payments);
  });

  it("are found among any number of texts in another language", () => {
    const german = Array.from({ length: 300 }, (_, i) => `Die Rechnung ${i} der Kunden ist nicht bezahlt.`);
    const training = "All of the staff complete the mandatory training annually.";
    for (const word of ["training", "annually", "mandatory", "completed"])
      expect(found(word, ...german, training), word).toEqual([training]);
    const english = german.map((_, i) => `The invoice ${i} of the customer was not paid.`);
    const orders = "Die Händlerinnen bestellen wöchentlich und dienstags.";
    for (const word of ["Händlerinnen", "bestellen", "wöchentlich"])
      expect(found(word, ...english, orders), word).toEqual([orders]);
  });

  it("are found where no spaces stand between them", () => {
    const japanese = "東京都の請求書は支払われました";
    expect(found("請求書", japanese, weather)).toEqual([japanese]);
  });

  it("of hostile texts are bounded", () => {
    const { terms } = analyseEntry(
      { id: 1, seq: 1, body: `${"a".repeat(1_000_000)} ${"ä̈̈".repeat(100_000)}` },
      RECIPES.document,
    );
    expect([...terms.keys()].every((term) => term.length <= 41)).toBe(true);
    expect(analyseQuery("word ".repeat(100_000), ["en"]).words).toHaveLength(1);
    expect(
      analyseQuery("\u0001base=1 \u0002abcd \u0000", ["en"]).words.flatMap(({ terms: found }) => found),
    ).toEqual(expect.not.arrayContaining(["\u0001base=1", "\u0002abcd"]));
  });
});
