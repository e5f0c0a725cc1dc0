import { describe, expect, it } from "vitest";
import { holds, readQuestion } from "./pick-sentences.ts";

describe("what a question asks for", () => {
  it.each([
    ["How many new jobs were created?", "number"],
    ["By what percentage did it rise?", "number"],
    ["Wie viele Stellen wurden geschaffen?", "number"],
    ["Um welchen Betrag wurde gekürzt?", "number"],
    ["In which year did it open?", "date"],
    ["In welchem Jahr wurde es eröffnet?", "date"],
    ["Since when is it open?", "date"],
    ["Who opened it?", "person"],
    ["Wem gehört es?", "person"],
    ["Where is it?", "place"],
    ["In welcher Stadt steht es?", "place"],
    // The word stands in a clause that tells of something else.
    ["What happens when the pressure falls?", undefined],
    ["When the king died, who ruled?", "person"],
    ["What do you call somebody who sells books?", undefined],
    ["Wie wurde festgelegt, wie viele kommen?", undefined],
    ["Why is it so?", undefined],
  ])("%s", (question, type) => {
    expect(readQuestion(question).type).toBe(type);
  });

  it.each<[question: string, text: string, isHeld: boolean]>([
    ["How many new jobs were created?", "New jobs created", false],
    ["How many new jobs were created in 2020?", "New jobs created in 2020", false],
    ["How many new jobs were created in 2020?", "In 2020 new jobs: 140", true],
    ["How many new jobs were created?", "Two dozen new jobs were created.", true],
    ["Wie viele Stellen wurden geschaffen?", "Es wurden eine neue Abteilung und Stellen geschaffen.", false],
    ["Wie viele Stellen wurden geschaffen?", "Zweiundvierzig Stellen wurden geschaffen.", true],
    ["When did the plant open?", "The plant did open.", false],
    ["When did the plant open?", "The plant did open in May.", true],
    ["Who leads sales?", "The one who leads sales leads well.", false],
    ["Who leads sales?", "Sales is led by Ada Lovelace.", true],
    ["Where is the plant?", "The plant is where it always was.", false],
    ["Where is the plant?", "The plant is in Essen.", true],
    ["Why is it so?", "It is so.", true],
  ])("%s %s", (question, text, isHeld) => {
    expect(holds(readQuestion(question), text)).toBe(isHeld);
  });
});
