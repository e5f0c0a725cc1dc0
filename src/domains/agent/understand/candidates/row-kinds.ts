/** What rows are about, as their columns tell it: what they are called, and what is said of them when they happened. */
interface RowKind {
  nouns: RegExp;
  verbs: RegExp;
  columns: RegExp;
}

export const ROW_KINDS: readonly RowKind[] = [
  {
    nouns: /^(trip|ride|journey|drive|tour|flight|fahrt|reise|flug)$/,
    verbs: /^(driven|travelled|traveled|flown|gefahren|gereist|geflogen)$/,
    columns:
      /pickup|dropoff|origin|destination|depart|arriv|distance|taxi|trip|ride|flight|route|fahrt|strecke|abfahrt/i,
  },
  {
    nouns:
      /^(order|purchase|sale|transaction|booking|payment|invoice|receipt|bestellung|kauf|einkauf|verkauf|transaktion|buchung|zahlung|rechnung|beleg)$/,
    verbs: /^(transacted|abgewickelt)$/,
    columns:
      /price|total|quantity|payment|invoice|product|amount|order|sale|preis|betrag|menge|produkt|artikel/i,
  },
  {
    nouns: /^(theft|burglary|robbery|crime|offen[cs]e|diebstahl|einbruch|raub|straftat|delikt|tat)$/,
    verbs: /^(stolen|stole|committed|gestohlen|geklaut|entwendet|begangen|verubt)$/,
    columns: /theft|stolen|burglar|robber|crime|offen[cs]e|diebst|einbruch|straftat|delikt|tatzeit|tatort/i,
  },
  {
    nouns: /^(incident|accident|crash|strike|collision|attack|vorfall|unfall|zusammenstoss)$/,
    verbs: /^(crashed|collided|verungluckt)$/,
    columns: /damage|injur|severity|death|strike|crash|accident|collision|incident|schaden|unfall|verletzt/i,
  },
  {
    nouns: /^(ticket|request|call|inquiry|enquiry|anfrage|anruf|meldung|vorgang)$/,
    verbs: /^(raised|filed|logged|reported|gemeldet|eingereicht)$/,
    columns: /priority|ticket|assignee|channel|reply|subject|prioritat|priorität|kanal|betreff/i,
  },
  {
    nouns: /^(visit|stay|appointment|admission|treatment|besuch|aufenthalt|termin|behandlung)$/,
    verbs: /^(visited|visit|seen|treated|attended|besucht|behandelt|gesehen)$/,
    columns:
      /visit|check_?in|arriv|doctor|admission|diagnos|guest|patient|referral|clinic|hospital|besuch|arzt|aufnahme|klinik/i,
  },
  {
    nouns: /^(match|game|fixture|spiel|partie|begegnung)$/,
    verbs: /^(played|gespielt|ausgetragen)$/,
    columns: /(^|_)(home|away|heim|gast|opponent|gegner|score|kickoff|match|spiel)(_|$)/i,
  },
  {
    nouns: /^(inspection|check|test|audit|prufung|kontrolle|untersuchung)$/,
    verbs: /^(inspected|checked|tested|audited|gepruft|kontrolliert|untersucht)$/,
    columns: /inspect|audit|violation|check|kontroll|prüf|pruef|beanstand|test/i,
  },
  {
    nouns:
      /^(unit|device|machine|installation|vehicle|car|turbine|plant|anlage|gerat|maschine|fahrzeug|auto|wagen)$/,
    verbs: /^(installed|manufactured|installiert|hergestellt)$/,
    columns:
      /manufacturer|(^|_)make(_|$)|model|serial|engine|horsepower|hersteller|baujahr|errichtung|leistung|modell/i,
  },
  {
    nouns: /^(house|home|property|apartment|flat|listing|haus|hauser|wohnung|immobilie)$/,
    verbs: /^(listed|rented|vermietet)$/,
    columns: /bedroom|bathroom|(^|_)rooms?(_|$)|sqft|square_f|listing|wohnfl|zimmer|kaltmiete/i,
  },
  {
    nouns: /^(animal|pet|dog|cat|tier|hund|katze)$/,
    verbs: /^(adopted|kept|gehalten)$/,
    columns: /breed|(^|_)species|rasse|tierart/i,
  },
];
