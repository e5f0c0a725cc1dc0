/** How far a guess can be relied on: by name and by values; by one of them; or for lack of better. */
export type Sureness = "sure" | "likely" | "guess";

/** Something that was guessed about data, for whoever is to check it. */
export interface Guess {
  /** `orders.customer_id` */
  about: string;
  guess: string;
  sure: Sureness;
  why: string;
}
