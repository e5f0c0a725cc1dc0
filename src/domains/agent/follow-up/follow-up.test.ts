import { describe, expect, it } from "vitest";
import { ferryContext } from "../../../../test/support/ferry-line.ts";
import { say } from "../explain/say.ts";
import type { Ask } from "../query/semantic-query.ts";
import { followUp, type Previous } from "./follow-up.ts";
import { pointingIn } from "./pointing.ts";
import { chartWish } from "./turn.ts";

/** What each text of a conversation is understood as; what cannot be told is in brackets. */
async function readings(texts: readonly string[], shown: string[] = []): Promise<string[]> {
  let previous: Previous | undefined;
  const said: string[] = [];
  for (const text of texts) {
    const going = ferryContext(shown);
    const followed = await followUp(chartWish(text), previous, going);
    if (followed.k === "hangs") said.push(`[${followed.missing.map((each) => each.text).join(" ")}]`);
    else if (followed.k === "asks") said.push(`[${followed.question.suggestions.join(" or ")}]`);
    else {
      const { readings: own, missing } = await going.read(followed.k === "fresh" ? followed.text : text);
      const ask =
        followed.k === "follows" ? followed.reading.ask : missing.length > 0 ? undefined : own[0]?.ask;
      const earlier = previous === undefined ? [] : [previous.ask, ...(previous.earlier ?? [])];
      if (ask !== undefined) previous = { ask, said: say(ask), earlier };
      said.push(
        ask === undefined
          ? "[refused]"
          : `${followed.k === "fresh" && said.length > 0 ? "afresh: " : ""}${say(ask)}`,
      );
    }
  }
  return said;
}

type Conversation = [question: string, reading: string][];

/** The first is a question; what a text alone would mean is written behind "afresh". */
const CONVERSATIONS: Conversation[] = [
  [
    ["takings by ship in 2025", "takings by ship in 2025"],
    ["and the year before?", "takings by ship in 2024"],
    ["compared to 2023", "takings in 2024 and takings in 2023 by ship"],
    ["and passengers?", "passengers in 2024 and passengers in 2023 by ship"],
    ["only Danish ones", "passengers in 2024 and passengers in 2023 by ship where ship flag is Danish"],
    ["growth", "growth of passengers from 2023 to 2024 by ship where ship flag is Danish"],
  ],
  [
    ["Einnahmen der letzten 30 Tage", "takings from 16 Jun to 15 Jul 2026"],
    ["stattdessen nach Flagge", "takings by flag from 16 Jun to 15 Jul 2026"],
  ],
  // "total the month before" would be takings.
  [
    ["passengers by ship in February 2025", "passengers by ship in February 2025"],
    ["and the month before?", "passengers by ship from 1 to 31 Jan 2025"],
  ],
  [
    ["passengers by flag in 2025", "passengers by flag in 2025"],
    ["per crossing", "passengers per crossing by flag in 2025"],
    ["in days", "[in days]"],
    ["per sailor", "[sailor]"],
    ["passengers", "passengers by flag in 2025"],
  ],
  [
    ["which ship had the highest takings in 2025?", "takings by ship in 2025, the highest"],
    ["and the lowest?", "takings by ship in 2025, the lowest"],
    ["the second one", "takings by ship in 2025, the lowest after the first"],
    ["show all of them", "takings by ship in 2025"],
    ["top 2 instead", "takings by ship in 2025, the 2 highest"],
  ],
  [
    ["top 3 captains by takings in 2025", "takings by captain in 2025, the 3 highest"],
    [
      "how many crossings did they have?",
      "number of crossings of the 3 captains with the highest takings in 2025",
    ],
    ["how are they doing?", "[they]"],
  ],
  [
    ["Danish ships", "ships where ship flag is Danish"],
    ["how many?", "number of ships where ship flag is Danish"],
    ["their takings in 2025", "takings of ships where ship flag is Danish in 2025"],
    ["what about the others", "[the others]"],
  ],
  [
    ["average delay in 2025", "average delay in 2025"],
    ["in hours", "[in hours]"],
    ["in which flag?", "average delay by flag in 2025"],
    ["also show passengers", "average delay and passengers by flag in 2025"],
    ["by ship instead of flag", "average delay and passengers by ship in 2025"],
  ],
  [
    ["Einnahmen nach Schiff 2025", "takings by ship in 2025"],
    ["und 2024?", "takings by ship in 2024"],
    ["im Vergleich zum Vorjahr", "takings in 2024 and takings in 2023 by ship"],
    ["die zwei besten", "takings in 2024 and takings in 2023 by ship, the 2 highest by takings in 2024"],
    ["nach Bauart statt Schiff", "takings in 2024 and takings in 2023 by build"],
    ["wie viele Fahrgäste waren das?", "[das]"],
  ],
  [
    ["active ships in 2024", "active ships in 2024"],
    ["by flag", "active ships by flag in 2024"],
    ["what about takings?", "takings by flag in 2024"],
  ],
  [
    ["takings in 2025 compared with 2024", "takings in 2025 and takings in 2024"],
    ["by flag", "takings in 2025 and takings in 2024 by flag"],
    ["and passengers", "passengers in 2025 and passengers in 2024 by flag"],
    ["by quarter", "passengers and passengers the year before by quarter in 2025"],
    ["total", "passengers and passengers the year before in 2025"],
  ],
  [
    ["passengers in June 2026", "passengers in June 2026"],
    ["vs last month", "passengers in June 2026 and passengers from 1 to 31 May 2026"],
    ["vs the same month last year", "passengers in June 2026 and passengers from 1 to 30 Jun 2025"],
    ["same period in 2024", "passengers from 2024-06-01 to 2024-06-30"],
    ["no, I meant takings", "takings from 2024-06-01 to 2024-06-30"],
  ],
  [
    ["takings by ship in 2025", "takings by ship in 2025"],
    ["sorted by name", "takings by ship in 2025"],
    ["sort by passengers", "takings and passengers by ship in 2025"],
    [
      "top 2 by average delay",
      "takings, passengers and average delay by ship in 2025, the 2 highest by average delay",
    ],
    [
      "the others",
      "takings, passengers and average delay by ship other than the 2 ships with the highest average delay in 2025",
    ],
  ],
  [
    ["average delay by ship", "average delay by ship"],
    ["which ship is worst?", "average delay by ship, the highest"],
    ["and the lowest", "average delay by ship, the lowest"],
    ["show all", "average delay by ship"],
    ["median", "median delay minutes of crossings by ship"],
    ["in percent", "[percent]"],
  ],
  [
    ["passengers by flag in 2025", "passengers by flag in 2025"],
    ["in percent", "share of total passengers by flag in 2025"],
    ["und im Vorjahr?", "share of total passengers by flag in 2024"],
    ["bottom 2", "share of total passengers by flag in 2024, the 2 lowest"],
  ],
  [
    ["takings of Baltica by month in 2025", "takings by month where ship is Baltica in 2025"],
    ["compare it with Mistral", "takings by month and ship where ship is Baltica or Mistral in 2025"],
    ["only Mistral", "takings by month and ship where ship is Mistral in 2025"],
    ["how much per day", "takings by day where ship is Mistral in 2025"],
  ],
  [
    ["which ships are there", "ships"],
    ["how many are Danish?", "number of ships where ship flag is Danish"],
    ["which of them are steamers?", "ships where ship flag is Danish and ship build is Steamer"],
    ["sorted by takings", "takings by ship of ships where ship flag is Danish and ship build is Steamer"],
  ],
  [["their takings", "[their]"]],
  [
    ["takings by flag in 2025", "takings by flag in 2025"],
    ["without Danish", "takings by flag where ship flag is not Danish in 2025"],
    ["no, only Danish", "takings by flag where ship flag is Danish in 2025"],
    ["all flags again", "takings by flag in 2025"],
    ["add Danish again", "[Danish]"],
  ],
  [
    ["takings of Baltica in 2025", "takings where ship is Baltica in 2025"],
    ["not Baltica but Mistral", "takings where ship is Mistral in 2025"],
    ["and Nordkapp?", "takings where ship is Nordkapp in 2025"],
    ["both together", "[both together]"],
  ],
  [
    ["takings by month in 2025", "takings by month in 2025"],
    ["the second half only", "takings by month in second half of 2025 (1 Jul to 31 Dec 2025)"],
  ],
  // What is told apart further is of those that were shown.
  [
    ["top 2 ships by takings in 2025", "takings by ship in 2025, the 2 highest"],
    ["by weather", "takings by weather of the 2 ships with the highest takings in 2025"],
  ],
  [
    ["top 2 ships by takings in 2025", "takings by ship in 2025, the 2 highest"],
    [
      "only those with a Danish flag",
      "takings by ship of the 2 ships with the highest takings in 2025 where ship flag is Danish in 2025",
    ],
  ],
  [
    ["takings by ship in 2025, lowest first", "takings by ship in 2025"],
    ["first two", "takings by ship in 2025, the 2 lowest"],
  ],
  // The numerator of a share is not what is pointed to.
  [
    ["crossings in 2025 by weather", "number of crossings in 2025 by weather"],
    [
      "what share is stormy",
      "share of number of crossings in 2025 where crossing weather is stormy in the number of crossings in 2025",
    ],
    ["their takings", "[takings by weather of crossings in 2025]"],
  ],
  [
    [
      "how many stormy crossings were there in 2025?",
      "number of crossings where crossing weather is stormy in 2025",
    ],
    [
      "as a share of all crossings",
      "share of number of crossings where crossing weather is stormy in 2025 in the number of crossings in 2025",
    ],
  ],
  [
    ["average delay by flag in 2025", "average delay by flag in 2025"],
    ["passengers", "passengers by flag in 2025"],
    ["across all flags together", "passengers in 2025"],
  ],
  [
    ["takings by flag in 2025 compared to 2024", "takings in 2025 and takings in 2024 by flag"],
    ["how much did each one grow?", "growth of takings from 2024 to 2025 by flag"],
    ["which flag grew the most?", "growth of takings from 2024 to 2025 by flag, the highest"],
  ],
  [
    ["takings by flag and build in 2025", "takings by flag and build in 2025"],
    ["without build", "takings by flag in 2025"],
  ],
  [
    ["takings in June 2025", "takings in June 2025"],
    ["and the month before that", "takings from 1 to 31 May 2025"],
    ["what's the difference?", "change of takings from 1 to 31 May 2025 to June 2025"],
    ["show me June 2025 week by week", "takings by week in June 2025"],
    ["which was the strongest?", "takings by week in June 2025, the highest"],
    ["Got it. Next: how many ships are there?", "afresh: number of ships"],
  ],
  [
    ["passengers of Baltica by quarter in 2025", "passengers by quarter where ship is Baltica in 2025"],
    ["and Mistral", "passengers by quarter where ship is Mistral in 2025"],
    ["put the two side by side", "passengers by quarter and ship where ship is Baltica or Mistral in 2025"],
    [
      "was ist der Unterschied?",
      "passengers where ship is Baltica less passengers where ship is Mistral by quarter in 2025",
    ],
  ],
  [
    ["takings of Baltica in 2025", "takings where ship is Baltica in 2025"],
    ["versus Mistral", "takings by ship where ship is Baltica or Mistral in 2025"],
    ["same period last year", "takings by ship where ship is Baltica or Mistral in 2024"],
    [
      "how big is the difference?",
      "takings where ship is Baltica less takings where ship is Mistral in 2024",
    ],
  ],
  [
    ["takings by ship in 2024", "takings by ship in 2024"],
    ["and 2025", "takings by ship in 2025"],
    [
      "where did it fall the most?",
      "growth of takings from 2024 to 2025 by ship, the lowest, where growth of takings from 2024 to 2025 is less than 0",
    ],
    ["split 2025 into its quarters", "takings by ship and quarter in 2025"],
  ],
  [
    ["passengers in March 2025", "passengers in March 2025"],
    ["and this March?", "passengers in March 2026"],
    ["by how much did it grow?", "growth of passengers from March 2025 to March 2026"],
  ],
  [
    ["takings in May 2025", "takings in May 2025"],
    ["and the month after that?", "takings from 1 to 30 Jun 2025"],
    ["and the same month this year?", "takings from 2026-06-01 to 2026-06-30"],
    ["how many ships are Danish?", "afresh: number of ships where ship flag is Danish"],
    ["and how many in Estonian?", "number of ships where ship flag is Estonian"],
  ],
  [
    ["takings by ship in 2025", "takings by ship in 2025"],
    ["which ship is ahead?", "takings by ship in 2025, the highest"],
    ["and the other two?", "takings by ship other than the ships with the highest takings in 2025"],
  ],
  [
    ["takings of Baltica in 2025", "takings where ship is Baltica in 2025"],
    ["and Mistral?", "takings where ship is Mistral in 2025"],
    ["which of the two is bigger?", "takings by ship where ship is Baltica or Mistral in 2025, the highest"],
    ["by how much?", "takings where ship is Baltica less takings where ship is Mistral in 2025"],
  ],
  // What was compared is shown beside each other; what grew by the least did not fall.
  [
    ["takings by ship in 2025", "takings by ship in 2025"],
    ["and 2024?", "takings by ship in 2024"],
    [
      "who dropped the most?",
      "growth of takings from 2024 to 2025 by ship, the lowest, where growth of takings from 2024 to 2025 is less than 0",
    ],
    ["show both side by side", "takings in 2025 and takings in 2024 by ship"],
  ],
  [
    ["takings in March 2025", "takings in March 2025"],
    ["how many crossings were there then?", "afresh: number of crossings from 1 to 31 Mar 2025"],
    ["ok, by weather then", "number of crossings from 1 to 31 Mar 2025 by weather"],
  ],
  // Only ships are no number of ships.
  [
    ["takings by weather in 2025", "takings by weather in 2025"],
    ["only captains", "[captains]"],
  ],
  // Takings less passengers are nothing.
  [
    ["takings and passengers by ship in 2025", "takings and passengers by ship in 2025"],
    ["what's the difference?", "[refused]"],
  ],
  [
    ["welches Schiff hatte 2025 die meisten Einnahmen?", "takings by ship in 2025, the highest"],
    ["Wie viele Überfahrten hatte das?", "number of crossings of the ships with the highest takings in 2025"],
  ],
  // What they did is of the time in which they were chosen, and names are no share.
  [
    ["top 2 captains by takings in 2025", "takings by captain in 2025, the 2 highest"],
    [
      "which ships did they have crossings with?",
      "ships with crossings of the 2 captains with the highest takings in 2025 in 2025",
    ],
    ["what share of total takings is that?", "[that]"],
  ],
  // Rows of one period are none of another; what belongs to such rows cannot be compared.
  [
    ["crossings in 2025 by weather", "number of crossings in 2025 by weather"],
    ["and the delay of these?", "average delay by weather of crossings in 2025"],
    ["compared to 2024", "average delay in 2025 and average delay in 2024 by weather of crossings"],
  ],
  [
    ["crossings in 2025 by weather", "number of crossings in 2025 by weather"],
    ["and the takings of these?", "takings by weather of crossings in 2025"],
    ["compared to 2024", "[compared to 2024]"],
  ],
];

describe("conversations", () => {
  it.for(CONVERSATIONS)("that begin with %j", async (...[conversation]) => {
    const texts = conversation.map(([text]) => text);
    const said = await readings(texts);
    expect(texts.map((text, i) => [text, said[i]])).toEqual(conversation);
  });

  it("that go back to what was shown", async () => {
    const captains = ["Aino Kask", "Jon Berg"];
    const said = await readings(
      [
        "top 2 captains by takings in 2025",
        "how many crossings did they have?",
        "what share of total takings do the two make up?",
        "when were those hired?",
      ],
      captains,
    );
    expect(said.slice(1)).toEqual([
      "number of crossings of the 2 captains with the highest takings in 2025",
      "share of total takings of the 2 captains with the highest takings in 2025",
      "[those hired]",
    ]);
  });

  it("they are what was listed last, or who it was listed of", async () => {
    const context = { ...ferryContext(), rows: async (ask: Ask) => [[say(ask), 1]] };
    const first = (await context.read("top 2 captains by takings in 2025")).readings[0]?.ask as Ask;
    const next = await followUp(
      chartWish("which ships did they have crossings with?"),
      { ask: first, said: "" },
      context,
    );
    const ask = next.k === "follows" ? next.reading.ask : first;
    const last = await followUp(chartWish("their takings"), { ask, said: "", earlier: [first] }, context);
    expect(last.k === "asks" && last.question.suggestions).toEqual([
      "takings of the 2 captains with the highest takings in 2025",
      "takings of ships with crossings of the 2 captains with the highest takings in 2025",
    ]);
  });

  it("what is one of several is asked back, and what is one is taken", async () => {
    const asked = ["takings by ship in 2025", "what is its average delay?"];
    expect((await readings(asked, ["Baltica", "Mistral"])).at(-1)).toBe("[Baltica or Mistral]");
    const first = ["top 1 ship by takings in 2025", "what is its average delay?"];
    expect((await readings(first, ["Baltica"])).at(-1)).toBe(
      "average delay of the ships with the highest takings in 2025",
    );
  });
});

describe("words that point back", () => {
  it.for([
    ["how many orders did they take?", "they"],
    ["who is their manager?", "their"],
    ["which product in that category?", "that category"],
    ["show me the tickets about it", "it"],
    ["how much did we refund for that?", "that"],
    ["how many of those were returned?", "those"],
    ["and the second one?", "the second one"],
    ["how many customers do we have there?", "there"],
    ["wie viele Kunden waren das?", "das"],
    ["welche davon sind aktiv?", "davon"],
    ["wer ist ihr Chef?", "ihr"],
    ["Umsatz dieser Kunden", "dieser Kunden"],
  ] as const)("%s", ([text, word]) => {
    expect(pointingIn(text)?.text).toBe(word);
  });

  it.for([
    "stores and their managers",
    "which regions missed their target in 2025",
    "how many customers are there?",
    "orders that were cancelled this year",
    "which state has the most rivers running through it",
    "what river is the longest one in the united states",
    "the 2024 orders that were cancelled - what were they worth?",
    "average discount in week 24 vs the first three weeks of that month",
    "who is the manager of Ann, and when did that manager start?",
    "how long does it take to resolve a ticket?",
    "states higher than that of Colorado",
    "Können Sie mir den Umsatz zeigen?",
    "Kunden, deren Umsatz über 5000 liegt",
    "Was ist das Produkt mit dem höchsten Umsatz?",
    "Umsatz dieses Jahr",
  ])("not in: %s", (text) => {
    expect(pointingIn(text)).toBeUndefined();
  });
});
