import { ENGLISH_GLOSSARY } from "../english/glossary.ts";
import type { Gloss } from "../language.ts";
import { phraseKey } from "../words.ts";
import { foldGerman, GERMAN_FORMS, stemGerman } from "./stem.ts";

/**
 * German words of business and the English ones that models use for them, the likeliest first: a model needs no German
 * synonyms. What the author wrote comes first, and a word that the model has in neither language stays unknown.
 */
const PAIRS = `
durchschnitt: average, avg, mean
gesamt: total
median: median
anteil: share
wachstum: growth
umsatz umsätze erlös erlöse: revenue, sales, turnover, amount, betrag
umgesetzt umsetzte umsetzten: revenue, sales, turnover
einnahmen: income, revenue, receipts, takings
gewinn ertrag überschuss: profit, earnings, income
rohertrag bruttogewinn: gross profit
marge gewinnspanne handelsspanne: margin
bruttomarge rohmarge: gross margin
deckungsbeitrag: contribution margin
verlust: loss
kosten ausgaben aufwand: cost, costs, expenses, expense, spend
ausgaben: spending
ausgegeben ausgab ausgaben ausgibt: spend, spent
budget etat: budget
plan vorgabe: plan, target
ziel: target, goal
zielumsatz planumsatz umsatzziel sollumsatz: target revenue, revenue target, planned revenue
zielerreichung: target attainment, attainment
preis: price
stückpreis einzelpreis: unit price
listenpreis: list price
verkaufspreis: selling price, sale price, unit price
einkaufspreis: purchase price, unit cost, cost price
stückkosten: unit cost
rabatt nachlass: discount, rebate
rabattsumme rabattbetrag gewährte_rabatte: discount amount, discounts given
betrag: amount
wert: value
bestellwert auftragswert: order value, order amount, order total
warenkorb: basket, cart
gebühr gebühren: fee, fees
steuer: tax
zahlung: payment
bezahlt: paid
rechnung faktura: invoice, bill
mahnung: reminder
forderung: receivable
schulden: debt
saldo kontostand: balance
zinsen: interest
währung: currency
menge stückzahl: quantity, units, amount
stück einheiten: units, units sold, quantity
absatz verkaufte_stückzahl verkaufte_menge verkaufte_einheiten verkaufte_stück: units sold, units, sales volume, quantity sold
abgesetzt verkauft verkauften verkauften: sold, sell
verkauf verkäufe: sale, sales
gekauft kauften kaufte kaufen kauft: bought, buy, purchased
kauf käufe einkauf: purchase, order
bestellung auftrag: order
bestellt bestellten bestellte bestellen: ordered, order
angebot: offer, quote
vertrag: contract
abo abonnement: subscription
abonnent: subscriber
lizenz: license, licence
nutzer benutzer anwender: user
sitzung: session
besuch: visit
besucher: visitor
klick: click
aufruf: view
kampagne: campaign
werbung anzeige: ad, advertising
konversionsrate konversionsquote: conversion rate
kunde kundin käufer: customer, client, buyer
kundenname: customer name
interessent: lead, prospect
neukunde: new customer
firma firmen unternehmen: company, account
konto: account
partner: partner
händler: dealer, retailer, merchant
lieferant zulieferer: supplier, vendor
hersteller: manufacturer, brand
marke: brand
produkt artikel ware: product, item, article
produktname artikelname: product name
kategorie warengruppe produktgruppe: category, product category, product group
unterkategorie: subcategory
sortiment angebotspalette: assortment, range, product
position posten: item, line item, line
bestellposition auftragsposition: order item, line item, order line
filiale laden geschäft markt niederlassung zweigstelle: store, shop, branch
filialname: store name, branch name
standort: location, site
lager lagerhaus: warehouse
bestand lagerbestand vorrat: stock, inventory
lieferung sendung: delivery, shipment
geliefert: delivered
versand: shipping, shipment
spediteur spedition frachtführer versanddienstleister: shipper, carrier
fracht: freight
frachtkosten versandkosten lieferkosten: freight cost, freight, shipping cost
versandt verschickt: shipped
lieferzeit: delivery time, lead time
retoure rückgabe rücksendung: return
zurückgegeben zurückgeschickt zurückgesandt retourniert: returned
retourenquote rückgabequote: return rate
stornoquote stornierungsquote: cancellation rate
erstattung rückerstattung: refund
erstattet rückerstattet zurückerstattet zurückgezahlt: refunded, refund, refunds
beschwerde reklamation: complaint
garantie: warranty
reparatur: repair
mitglied: member
akku batterie: battery
bremse: brake, brakes
zubehör: accessories, accessory
fahrrad rad: bike, bicycle
lastenrad: cargo bike
probefahrt: test ride, test drive
gutschein: voucher, coupon
region vertriebsregion gebiet: region, territory
land: country
bundesland kanton provinz: state, federal state, province
stadt ort: city, town, place
postleitzahl plz: postal code, zip code, zip
adresse anschrift: address
straße: street
bezirk: district
gemeinde: municipality
mitarbeiter angestellte beschäftigte: employee, staff, assignee, agent, sachbearbeiter
personal belegschaft: staff, employees
mitarbeiterzahl personalbestand kopfzahl: headcount, employee count
vertriebler verkäufer vertriebsmitarbeiter außendienstler: sales rep, salesperson, sales representative, seller, rep
vorgesetzter vorgesetzte chef chefin leiter führungskraft: manager, boss
abteilung: department
team: team
stelle funktion: job title, position, role
gehalt lohn: salary, wage
einstellung: hire
eingestellt: hired
berichtet berichten unterstellt: reports to, reports
kündigung: termination
schicht: shift
arzt ärztin ärzte: doctor, physician
patient: patient
termin: appointment
behandlung: treatment
diagnose: diagnosis
station: ward
krankenhaus: hospital
versicherung: insurance
schüler: student
student studierende: student
lehrer: teacher
kurs: course
note: grade
buch bücher: book
fahrzeug: vehicle
auto wagen: car
fahrt: trip, ride
fahrer: driver
flug: flight
zimmer: room
buchung reservierung: booking, reservation
gebucht gebuchte: booked
gast gäste: guest
maschine anlage: machine
auslastung: utilization, utilisation
ausschuss: scrap
energie: energy
strom: electricity
ticket anfrage: ticket, request
supportticket supportanfrage: support ticket, support request, ticket
anruf: call
thema betreff: topic, subject
priorität dringlichkeit: priority, urgency
grund: reason
rückgabegrund retourengrund: return reason, reason
kanal: channel
vertriebskanal: sales channel, channel
segment kundensegment kundengruppe kundentyp: segment, customer segment, customer type
zufriedenheit: satisfaction
kundenzufriedenheit: customer satisfaction, csat
bewertung: rating, review, score
bewertet: rated, rating
lösungszeit bearbeitungszeit lösungsdauer bearbeitungsdauer zeit_bis_geschlossen zeit_bis_gelöst: resolution time, processing time, time to resolve, time to close
projekt: project
aufgabe: task
stunde: hour, hours
dauer: duration
zeit: time
datum: date, day
tag: day
bestelldatum auftragsdatum: order date
status zustand: status
art typ: type, kind
name bezeichnung: name
nummer: number
anzahl zahl: number of, count, number
quote rate: rate
fläche verkaufsfläche: floor area, area
quadratmeter qm: square metres, square meters, sqm, area
größe: size
gewicht: weight
länge: length
höhe: height
breite: width
alter: age
geschlecht: gender, sex
einwohner bevölkerung: population, people
hauptstadt: capital
grenzt grenzen angrenzend: border, borders
fließt fließen durchfließt: runs through, flows through, runs, flows
fluss flüsse: river
berg: mountain
see: lake
newsletter: newsletter
registriert angemeldet hinzugekommen dazugekommen: registered, signed up, joined, signup
anmeldung registrierung: signup, registration, sign-up
eröffnet aufgemacht geöffnet: opened
eröffnung: opening, opened
eingeführt: launched, introduced
markteinführung: launch
aktiv: active
inaktiv: inactive
neu neue neuer neuen neues: new
offen: open, pending
geschlossen gelöst zugemacht: closed, resolved
abgeschlossen: completed
erledigt: completed, closed, done, resolved
ausgelaufen ausgemustert nicht_mehr_verkauft nicht_mehr_im_sortiment nicht_mehr_angeboten nicht_mehr_geführt nicht_mehr_erhältlich: discontinued
storniert: cancelled, canceled
ausstehend: pending, outstanding
fehlgeschlagen: failed
überfällig: overdue
verspätet: late, delayed
defekt: defective
beschädigt: damaged
hohe hoher hohem hohen: high
mittlere mittlerer: medium
niedrige niedriger niedrigem: low
dringend: urgent
männlich: male
weiblich: female
norden nord: north
süden süd: south
osten ost: east
westen: west
mitte zentrum: central
alpen: alpine
telefon: phone, telephone
mail email: email
privatkunde: consumer
geschäftskunde: business
küche: kitchen
beleuchtung: lighting
aufbewahrung: storage
außendienst: field sales
marktplatz: marketplace
deutschland deutsch: germany
österreich österreichisch: austria
schweiz schweizer schweizerisch: switzerland
frankreich französisch: france
italien italienisch: italy
spanien: spain
niederlande holland: netherlands
belgien: belgium
luxemburg: luxembourg
polen polnisch: poland
tschechien tschechisch: czech republic, czechia
ungarn: hungary
dänemark dänisch: denmark
schweden: sweden
norwegen: norway
finnland: finland
großbritannien england: united kingdom, great britain, uk
irland: ireland
griechenland: greece
türkei: turkey
russland: russia
usa: united states, usa, us
kanada: canada
brasilien: brazil
indien: india
europa: europe
asien: asia
bayern: bavaria
sachsen: saxony
hessen: hesse
niedersachsen: lower saxony
thüringen: thuringia
wien: vienna
zürich: zurich
genf: geneva
münchen: munich
köln: cologne
nürnberg: nuremberg
hannover: hanover
prag: prague
warschau: warsaw
kopenhagen: copenhagen
mailand: milan
rom: rome
brüssel: brussels
film: movie, film
regisseur regie: director
schauspieler: actor
drehbuch: screenplay
insel: island
niederschlag regen regenmenge: precipitation, rain, rainfall
schnee: snow
sonne sonnig: sun
nebel: fog
wetter: weather
temperatur: temperature, temp
wind: wind, wind speed
geschwindigkeit tempo: speed, velocity
entfernung strecke distanz: distance
gewicht masse: weight, mass
leistung: power, horsepower
verbrauch: consumption
trinkgeld: tip, gratuity
fahrpreis: fare
barzahlung bar: cash
kreditkarte: credit card
zahlungsart zahlungsmethode zahlungsweise: payment method, payment type, payment
tageszeit uhrzeit: time of day
wochentag: weekday, day of week
fluggesellschaft airline: airline, carrier, operator
flughafen: airport
verspätung: delay
herkunft: origin
lebenserwartung: life expectancy
geburtenrate: fertility, birth rate
todesfall tote todesopfer gestorben: death, deaths
verletzte: injured, injuries
opfer: victim
überlebt überlebende: survived
passagier: passenger
person personen: person, people
frau frauen: female, woman, women
mann männer: male, man, men
kind kinder: child, children
mitglied: member
klasse: class
haus immobilie: house, property
wohnung: apartment, flat
miete: rent
einkommen: income
schaden: damage
reparatur: repair
ursache: cause
spieler: player
mannschaft verein: team, club
tor: goal
punkt: point
sieg: win
rang platz: rank
jahr: year
erstellt angelegt: created
beschreibung: description
quelle: source
sorte: variety
ernte ertrag: yield
erlös: revenue
bruttoeinnahmen einspielergebnis: gross
altersgruppe: age group
bildung abschluss: education
beruf: occupation, job
raucher: smoker`;

/** The words as they are listed, mostly for one thing. */
const LISTED: ReadonlySet<string> = new Set(
  PAIRS.split("\n").flatMap((line) => foldGerman(line.replace(/:.*/, "")).split(" ")),
);

/** Whether a noun stands for several: another form of what is listed. */
export function isSeveral(norm: string): boolean {
  return /(?:[ens]|er)$/.test(norm) && !LISTED.has(norm) && GLOSSARY.has(stemGerman(norm));
}

/** English words by the stem of the German one. */
export const GLOSSARY: ReadonlyMap<string, readonly Gloss[]> = glossary();

/** Behind them what else the first is called in English; of several prices none is the one. */
function withOthers(names: readonly string[]): string[] {
  if (names[0] === "price") return [...names];
  const others = ENGLISH_GLOSSARY.get(phraseKey(names[0] ?? "")) ?? [];
  return [...new Set([...names, ...others.map(({ norms }) => norms)])];
}

function glossary(): Map<string, Gloss[]> {
  const found = new Map<string, Gloss[]>();
  for (const line of PAIRS.trim().split("\n")) {
    const [german = "", english = ""] = line.split(": ");
    const names = withOthers(english.split(", "))
      // The model may have the verb in another form.
      .flatMap((name) =>
        [...new Set([name, phraseKey(name)].map((form) => phraseKey(form, GERMAN_FORMS)))].map((stems) => ({
          stems,
          norms: foldGerman(name),
        })),
      );
    for (const word of german.split(" ")) {
      const key = phraseKey(word, GERMAN_FORMS);
      found.set(key, [...(found.get(key) ?? []), ...names]);
    }
  }
  return found;
}
