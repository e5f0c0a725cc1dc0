/**
 * What rows are about, as their columns tell it: what they are called, what is said of them when they happened, and
 * what is in the names of their columns. There an underscore is where a word of the name begins or ends.
 */
const KINDS = `
trip ride journey drive tour flight fahrt reise flug; driven travelled traveled flown gefahren gereist geflogen; pickup dropoff origin destination depart arriv distance taxi trip ride flight route fahrt strecke abfahrt
order purchase sale transaction booking payment invoice receipt bestellung kauf einkauf verkauf transaktion buchung zahlung rechnung beleg; transacted abgewickelt; price total quantity payment invoice product amount order sale preis betrag menge produkt artikel
theft burglary robbery crime offence offense diebstahl einbruch raub straftat delikt tat; stolen stole committed gestohlen geklaut entwendet begangen verubt; theft stolen burglar robber crime offence offense diebst einbruch straftat delikt tatzeit tatort
incident accident crash strike collision attack vorfall unfall zusammenstoss; crashed collided verungluckt; damage injur severity death strike crash accident collision incident schaden unfall verletzt
ticket request call inquiry enquiry anfrage anruf meldung vorgang; raised filed logged reported gemeldet eingereicht; priority ticket assignee channel reply subject prioritat priorität kanal betreff
visit stay appointment admission treatment besuch aufenthalt termin behandlung; visited visit seen treated attended besucht behandelt gesehen; visit checkin check_in arriv doctor admission diagnos guest patient referral clinic hospital besuch arzt aufnahme klinik
match game fixture spiel partie begegnung; played gespielt ausgetragen; _home_ _away_ _heim_ _gast_ _opponent_ _gegner_ _score_ _kickoff_ _match_ _spiel_
inspection check test audit prufung kontrolle untersuchung; inspected checked tested audited gepruft kontrolliert untersucht; inspect audit violation check kontroll prüf pruef beanstand test
unit device machine installation vehicle car turbine plant anlage gerat maschine fahrzeug auto wagen; installed manufactured installiert hergestellt; manufacturer _make_ model serial engine horsepower hersteller baujahr errichtung leistung modell
house home property apartment flat listing haus hauser wohnung immobilie; listed rented vermietet; bedroom bathroom _room_ _rooms_ sqft square_f listing wohnfl zimmer kaltmiete
animal pet dog cat tier hund katze; adopted kept gehalten; breed _species rasse tierart`;

export interface RowKind {
  nouns: ReadonlySet<string>;
  verbs: ReadonlySet<string>;
  columns: ReadonlySet<string>;
}

export const ROW_KINDS: readonly RowKind[] = KINDS.trim()
  .split("\n")
  .map((line) => {
    const [nouns, verbs, columns] = line.split("; ").map((words) => new Set(words.split(" ")));
    return { nouns, verbs, columns } as RowKind;
  });

/** Whether one of these names speaks for rows of a kind. */
export function speaksFor(names: readonly string[], { columns }: RowKind): boolean {
  return names.some((name) => [...columns].some((word) => `_${name.toLowerCase()}_`.includes(word)));
}
