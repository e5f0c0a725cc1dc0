import { describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { saveModel } from "../../../../test/support/models.ts";
import { CAFE_MODEL, openCafe } from "../../../../test/support/questions.ts";
import { PATHS } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

interface Asked extends Record<string, unknown> {
  outcome: string;
  narrative: string;
  reading: string | null;
  columns: string[];
  assumptions: string[];
  caveats: string[];
  charts: { title: string; xAxisLabel?: string }[];
  questions: { question: string; suggestions: string[] }[];
}

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });
const admin = await server.token();
await openCafe(server, admin);

const ask = (question: string, more: object = {}) =>
  resultOf<Asked>(server, admin, "ask_question", { question, ...more });

const PERIOD = "*Zeitraum: 1. Jan. bis 31. Dez. 2025 nach visited on.*";

describe("a German question is answered in German", () => {
  it("about a total", async () => {
    expect(await ask("Wie hoch war der Umsatz im Jahr 2025?")).toMatchObject({
      outcome: "answer",
      columns: ["revenue"],
      rows: [[50]],
      narrative: `Revenue im Jahr 2025: **50,00 €**\n\n${PERIOD}`,
      reading: "revenue im Jahr 2025",
      caveats: ["Die Daten enden am 3. März 2025 (visited on), vor dem Ende des Zeitraums."],
    });
  });

  it("that has no answer, with what there is instead", async () => {
    const { outcome, narrative } = await ask("Wie viele Lieferanten hatte der Laden?");
    expect(outcome).toBe("refuse");
    expect(narrative).toMatch(/^Ich kann diese Frage nicht beantworten, denn /);
    expect(narrative).toContain("**Vorhandene Datensätze:**");
    expect(narrative).toContain("**Danach kann gefragt werden:**");
    expect(narrative).not.toMatch(/I cannot|Available|What can be asked|nearest:/);
  });

  it("about groups", async () => {
    const { narrative, caveats } = await ask("Umsatz nach Region im Jahr 2025");
    expect(narrative.split("\n\n")).toEqual([
      "Revenue nach region im Jahr 2025: die gezeigten ergeben zusammen **30,00 €** von insgesamt 50,00 € (60,0 %).",
      "Am höchsten liegt **North** mit 25,00 € (50,0 %), vor South mit 5,00 € (10,0 %).",
      "- **North**: 25,00 € (50,0 %)\n- **South**: 5,00 € (10,0 %)",
      PERIOD,
    ]);
    expect(caveats).toContain(
      "20,00 € von 50,00 € Revenue (40,0 %) gehören zu keinem Wert von Region, und stehen in keiner der Zeilen.",
    );
  });

  it("about a series along time", async () => {
    const answer = await ask("Wie hat sich der Umsatz pro Monat im Jahr 2025 entwickelt?");
    expect(answer.columns).toEqual(["month", "revenue"]);
    expect(answer.narrative.split("\n\n")).toEqual([
      "Revenue nach Monat im Jahr 2025: insgesamt **50,00 €**.",
      "| Monat | Revenue |\n| --- | ---: |\n| Jan. 2025 | 13,00 € |\n| Feb. 2025 | 17,00 € |\n| März 2025 | 20,00 € |",
      PERIOD,
    ]);
    expect(answer.caveats).toEqual([
      "Die Daten enden am 3. März 2025 (visited on): Die Zahlen für März 2025 reichen bis dahin.",
    ]);
    expect(answer.charts[0]).toMatchObject({ title: "Revenue nach Monat im Jahr 2025", xAxisLabel: "Monat" });
    const daily = await ask("Umsatz pro Tag vom 5. bis 20. Januar 2025");
    expect(daily.narrative).toMatch(
      /Von 10,00 € \(5\. Jan\. 2025\) auf 3,00 € \(20\. Jan\. 2025\) \(−70,0 %\)\. Am höchsten: 5\. Jan\. 2025 mit 10,00 €;/,
    );
  });

  it("about a comparison", async () => {
    const answer = await ask("Umsatz im Februar 2025 verglichen mit dem Januar 2025");
    expect(answer.columns).toEqual(["revenue_february_2025", "revenue_january_2025"]);
    expect(answer.narrative.split("\n\n")).toEqual([
      "Revenue im Februar 2025 und revenue im Januar 2025:",
      "- **Revenue (Februar 2025)**: 17,00 €\n- **Revenue (Januar 2025)**: 13,00 €",
      "Revenue (Februar 2025) gegenüber Revenue (Januar 2025): +4,00 € (+30,8 %).",
      "*Zeitraum: 1. bis 28. Feb. 2025 nach visited on; 1. bis 31. Jan. 2025 nach visited on.*",
    ]);
  });

  it("about the first few", async () => {
    const { narrative } = await ask("Die zwei Läden mit dem höchsten Umsatz");
    expect(narrative.split("\n\n")).toEqual([
      "Revenue nach shop, die 2 höchsten: die gezeigten ergeben zusammen **33,00 €** von insgesamt 50,00 € (66,0 %).",
      "Am höchsten liegt **Drip** mit 20,00 € (40,0 %), vor Aroma mit 13,00 € (26,0 %).",
      "- **Drip**: 20,00 € (40,0 %)\n- **Aroma**: 13,00 € (26,0 %)",
      "*Zeitraum: alles, was es gibt, 5. Jan. 2025 bis 3. März 2025 nach visited on.*",
    ]);
  });

  it("where it has to be asked back, and takes its own words for answers", async () => {
    const best = await ask("Welcher Laden ist der beste?");
    expect(best).toMatchObject({
      outcome: "clarify",
      questions: [{ question: "Nach welcher Zahl ist „beste“ gemeint?" }],
    });
    const [open] = best.questions;
    const answered = await ask(`Welcher Laden ist der beste? [${open?.question}: ${open?.suggestions[0]}]`);
    expect(answered).toMatchObject({ outcome: "answer", rows: [["Drip", 20]] });
    expect(answered.narrative).toContain("der höchste Wert");

    const recent = await ask("Wie hoch war der Umsatz kürzlich?");
    const period = "Welchen Zeitraum soll ich auswerten?";
    const suggestions = ["Letzte 30 Tage", "Aktuelles Quartal", "Seit Jahresbeginn"];
    expect(recent.questions).toEqual([{ question: period, suggestions }]);
    for (const suggestion of suggestions) {
      const again = await ask(`Wie hoch war der Umsatz kürzlich? [${period}: ${suggestion}]`);
      expect(again.questions).toEqual([]);
      expect(again.narrative).toContain("Die Daten enden am 3. März 2025 (visited on).");
    }
    const growth = await ask("Umsatzwachstum nach Laden");
    expect(growth.questions).toEqual([
      {
        question: "Wachstum in welchem Zeitraum?",
        suggestions: ["seit Jahresbeginn", "letztes Jahr", "letztes Quartal"],
      },
    ]);
  });

  it("when it is read again, and by what goes on from it without a word of grammar", async () => {
    const first = await ask("Umsatz nach Laden im Februar 2025");
    const again = await resultOf<Asked>(server, admin, "get_answer", { answer_id: first.id });
    expect(again.narrative).toBe(first.narrative);
    const next = await ask("Januar 2025", { follow_up_to: first.id });
    expect(next).toMatchObject({ outcome: "answer", rows: [["Aroma", 13]] });
    expect(next.narrative).toContain("*Zeitraum: 1. bis 31. Jan. 2025 nach visited on.*");
    expect(next.assumptions).toEqual([expect.stringMatching(/^aus der Frage davor übernommen: /)]);
    const english = await ask("and in February 2025?", { follow_up_to: next.id });
    expect(english.narrative).toContain("*Period: 1 to 28 Feb 2025 by visited on.*");
  });

  it("about datasets, and about a query that answers it", async () => {
    const question = "Wie viele Besuche gab es pro Monat?";
    const { answer } = await resultOf<{ answer: string }>(server, admin, "knowi_ask", { question }, PATHS.bi);
    expect(answer).toContain("Anzahl visits nach Monat: insgesamt **5**.\n\n| Monat | Anzahl visits |");
    const filled = await resultOf<Asked>(server, admin, "query_metrics", {
      metrics: ["visit_count"],
      question: "Wie viele Besuche gab es?",
    });
    expect(filled.narrative).toMatch(/\*Zeitraum: alles, was es gibt, 5\. Jan\. 2025 bis 3\. März 2025/);
  });

  it("in the author's own German names, where no two are called the same", async () => {
    const model = CAFE_MODEL.replace('"name":"cafes"', '"name":"named"')
      .replace('"name":"revenue",', '"name":"revenue","ai_context":{"synonyms":["turnover","Umsatz"]},')
      .replace('"name":"city",', '"name":"city","ai_context":{"synonyms":["town","Stadt"]},')
      .replace('"name":"visited_on",', '"name":"visited_on","ai_context":{"synonyms":["Besuchstag"]},')
      .replace('"name":"shop_name",', '"name":"shop_name","ai_context":{"synonyms":["Name"]},')
      .replace('"name":"guest_name",', '"name":"guest_name","ai_context":{"synonyms":["Name"]},');
    await saveModel(server, admin, model);
    const german = await ask("Umsatz nach Stadt im Januar 2025", { model: "named" });
    expect(german.columns).toEqual(["city", "revenue"]);
    expect(german.narrative).toBe(
      "Umsatz nach Stadt im Januar 2025: **Bern** (Umsatz: 13,00 €)\n\n*Zeitraum: 1. bis 31. Jan. 2025 nach Besuchstag.*",
    );
    const bern = await ask("Umsatz nach Laden in Stadt Bern", { model: "named" });
    expect(bern.reading).toBe("Umsatz nach shop mit Stadt Bern");
    const english = await ask("revenue by city in January 2025", { model: "named" });
    expect(english.reading).toBe("revenue by city in January 2025");
  });
});
