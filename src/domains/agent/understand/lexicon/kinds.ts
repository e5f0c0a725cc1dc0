import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import { phraseKey } from "../languages/words.ts";
import { moneyMetrics, salesIn } from "../model/usual-sales.ts";
import type { Sense } from "../senses/fragment.ts";
import { noun, table } from "../senses/make.ts";

/**
 * What everybody says for things of a kind; behind the colon, what the one dataset of that kind may be called. Where a
 * model has several of a kind, or something of its own by such a name, nobody knows which is meant.
 */
const KINDS = `
staff, employee, colleague, coworker, team member, staff member, member of staff, personnel, worker, crew: employee, staff, librarian, mechanic, technician, doctor, physician, nurse, driver, waiter, cashier, agent, consultant, engineer, teacher, instructor, trainer, therapist, sales rep, salesperson, seller, clerk, advisor, stylist, guide, dentist, vet, lawyer, broker, pilot, chef, cleaner, guard, operator
customer, client, clientele, buyer, shopper, patron, consumer, guest, account: customer, client, member, patient, guest, student, subscriber, user, borrower, visitor, tenant, passenger, policyholder, donor, buyer, account, patron, shopper, pet owner, owner
member, subscriber, user: customer, member, subscriber, user
reader, borrower: member, borrower, reader, customer, patron
patient, sufferer: patient
pupil, learner, trainee: student, pupil, participant
tenant, renter, lodger: tenant, renter, customer
traveller, traveler, flyer: passenger, traveller, customer
product, item, article, sku, thing, thing we sell, thing we offer, thing we have, what we sell, merchandise: product, item, article, part, book, film, movie, track, album, plant, dish, menu item, sku, game, course, drug, medicine, bike, vehicle, toy, tool, garment, wine
spare part, component, part: part, spare part, component, product
film, movie, clip, flick, motion picture, picture, dvd, video: film, movie
book, title, volume, publication: book, title
song, tune, piece: track, song
writer, novelist: author, writer
actor, actress, star, cast member, performer: actor, performer, artist
vendor, supplier, wholesaler, distributor, provider, manufacturer we buy from: supplier, vendor, provider, distributor
carrier, courier, forwarder, haulier, delivery company, delivery service, freight company, parcel service, shipping company: shipper, carrier, courier
shop, store, branch, outlet, location, site, premises: store, shop, branch, outlet, location, site, restaurant, clinic, garage, library
warehouse, depot, storehouse, storage: warehouse, depot
department, division, unit, team: department, division
category, product group, kind, sort, genre: category, genre
vehicle, car, van, truck: vehicle, car, van, truck
rental, hire, hiring: rental, hire
loan, lending, checkout, borrowing: loan, lending, checkout
repair, job, work order, service job: job, repair, work order, service order
appointment, visit, consultation, session: appointment, visit, consultation, session, encounter
stay, reservation, booking: stay, reservation, booking
order, purchase, sale, deal: order, purchase, sale
invoice, bill: invoice, bill
shipment, parcel, delivery, consignment: shipment, parcel, delivery
complaint, ticket, case, request, issue: ticket, case, request, complaint, issue
class, lesson, course: course, class, lesson
room, unit, suite: room
animal, pet: pet, animal
dish, meal, food: dish, meal, menu item
policy, contract: policy, contract
claim, case of damage: claim
project, engagement, assignment: project
`;

/** What is earned, where one metric says it. */
const MONEY = "revenue, sales, turnover, takings, income, proceeds, earnings, receipts";

interface Kind {
  words: readonly string[];
  names: ReadonlySet<string>;
}

const ALL: readonly Kind[] = KINDS.trim()
  .split("\n")
  .map((line) => {
    const [words = "", names = ""] = line.split(": ");
    return { words: words.split(", "), names: new Set(names.split(", ").map((name) => phraseKey(name))) };
  });

/** A word that nobody gave to anything, and what it stands for in this model. */
interface KindWord {
  text: string;
  sense: Sense;
  taken: string;
}

/** What is said for the one dataset of a kind, and for the one metric of what is earned. */
export function kindWords({ model, schema }: Knowledge): KindWord[] {
  const called = model.datasets.map(({ name, ai }) => ({
    ds: name,
    names: new Set([name, ...ai.synonyms].map((text) => phraseKey(text))),
  }));
  const nouns = ALL.flatMap(({ words, names }) => {
    const [only, ...others] = called.filter((each) => [...each.names].some((name) => names.has(name)));
    if (only === undefined || others.length > 0) return [];
    return words.map((text) => ({ text, sense: noun(only.ds), taken: only.ds }));
  });
  const [metric, ...more] = moneyMetrics(schema);
  const isEarned = metric !== undefined && more.length === 0 && salesIn(model, schema).length <= 1;
  const money = isEarned ? MONEY.split(", ") : [];
  return [
    ...nouns,
    ...money.map((text) => ({
      text,
      sense: table({ k: "metric", name: metric as string }),
      taken: metric as string,
    })),
  ];
}
