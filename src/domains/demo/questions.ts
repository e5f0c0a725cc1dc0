/** These of them are about data: their answers are marked as right, so that the model has test questions. */
export const VERIFIED = 3;

/** To begin with; the first three are about data, then a document, then what is remembered. */
export const QUESTIONS = [
  "What was the revenue by country in the last 12 months?",
  "How did the revenue of Cargo Lite develop by month?",
  "Wie viele Tickets gab es pro Thema im letzten Monat?",
  "How long is the warranty on the battery?",
  "Who looks for a new importer for Denmark, and why?",
] as const;
