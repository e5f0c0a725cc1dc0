import type { Gloss } from "../language.ts";
import { fold, normsOf, phraseKey, wordsOf } from "../words.ts";

/**
 * Words of business that mean much the same, the likeliest name first: what people say is not always what the author
 * of a model wrote. What the author wrote comes first, and a word that the model has by no name stays unknown.
 */
const GROUPS = `
revenue, sales, turnover, takings, proceeds, income, receipts
sell, sold, turn over, turned over, bring in, brought in, earn us, earned us, earns us, bring us, brought us, make us, made us, makes us, spend with us, spent with us, pay us, paid us, money, bring in money, money made: revenue, sales, turnover
profit, gain, surplus: profit, gain, surplus, net profit, net income, net earnings
net profit, net earnings, net income
gross profit, contribution
cost, expense, expenses, spending, expenditure, outlay
price: list price, unit price
unit price: price
discount, rebate, price reduction, markdown, money off
order, purchase, transaction, booking
average order value, average basket, avg basket, basket size, basket value, cart value, average basket value, average ticket
order value, basket, order total, order amount
order item, items, line item, order line, order position, invoice line, order detail
quantity, units, pieces, volume
units sold, pieces sold, items sold, quantity sold, sales volume, sold units, pieces: quantity
customer, client, buyer, shopper, purchaser, consumer, account
product, item, article, sku
assortment, range, catalogue, portfolio, line-up: product
category, product category, product group, product line, product type, genre, kind, type
brand, make, label, manufacturer, maker
store, shop, branch, outlet, location
employee, staff, staff member, people, worker, personnel, coworker, team member, assignee, agent
sales rep, salesperson, sales person, salespeople, salesman, saleswoman, seller, sales agent, support rep, rep
manager, boss, supervisor, superior, line manager
report to, reports to, work under, answer to
job title, position, role, title, job, occupation, function
department, division, unit, business unit
company, firm, organisation, organization, business, enterprise, employer
supplier, vendor, provider
country, nation
region, district, area, zone
region: territory
state, province, canton, county
city, town, municipality
postal code, postcode, zip code, zip
target, goal, plan, quota, budget, objective
contact, contact person, person to ask, ask for, whom to ask for, person in charge: contact name, contact person, contact
return, returned, sent back, came back, send back, come back, brought back, bring back, give back
refund, refund amount, reimbursement, money back, paid back, reimbursed
return reason, reason
ticket, case, support ticket, support case, support request, service request, inquiry, enquiry, incident, complaint
priority, urgency, severity
satisfaction, csat, satisfaction score, customer satisfaction, rating, score
resolution time, time to resolve, handling time, resolution hours, time to close
status, condition, stage
channel, sales channel
segment, customer segment, customer type, customer group, type of customer, kind of customer
topic, subject, theme
signup, sign up, signed up, registration, register, registered, enrol, enroll, join, joined
hire date, hired, started, employed since, start date, joined
birth date, birthday, date of birth, born, birthdate
gender, sex
salary, wage, pay, compensation
floor area, store size, floor space, sales floor, sales area, size
contact support, contacted support, complain, complained, raised a case, raised a ticket, got in touch: support ticket, ticket, case
duration, length, running time, runtime, playing time
film, movie, title
track, song, tune
artist, band, musician, performer
album, record
payment, paid, amount paid, pay
invoice, bill
shipment, delivery, shipping
ship, shipped, deliver, delivered, dispatch, dispatched, send, sent
shipper, carrier, freight company, shipping company
freight, shipping cost, shipping costs, freight cost, delivery cost
stock, inventory, units in stock, on hand, in stock
discontinued, phased out, no longer sold, withdrawn
student, pupil, learner
teacher, instructor, lecturer, professor
course, class
grade, mark, score
player, footballer, athlete
team, club, side, squad
match, game, fixture
airline, carrier
passenger, traveller, traveler
doctor, physician
hospital, clinic
encounter, visit, consultation
payer, insurer, insurance, insurance company
immunization, vaccination, vaccine
medication, drug, prescription, medicine
email, e-mail, mail
email address, e-mail address
phone, telephone
phone number, telephone number
population, inhabitants, residents
weight, mass, body mass, weigh, weighs, weighed
speed, velocity
precipitation, rain, rainfall, rains, rained
director, directed by, filmmaker
death, deaths, fatality, fatalities, died, dead, people died, people killed, killed
survived, survivor, survivors
female, woman, women, lady, ladies
male, man, men
tip, gratuity
delay, late, lateness, delayed
horsepower, power
fuel economy, mileage, miles per gallon, mpg
urgent, high, critical
online, web, internet, web shop, webshop, online shop, online store, website
canceled, cancelled, called off
germany, german, germans
austria, austrian, austrians
switzerland, swiss
france, french
italy, italian, italians
spain, spanish
netherlands, dutch, holland
belgium, belgian
poland, polish
czech republic, czech, czechia
denmark, danish
sweden, swedish
norway, norwegian
finland, finnish
portugal, portuguese
hungary, hungarian
ireland, irish
united kingdom, uk, british, great britain, britain
usa, united states, us, american, america, united states of america
canada, canadian
mexico, mexican
brazil, brazilian
argentina, argentinian
india, indian
china, chinese
japan, japanese
australia, australian
`;

/** Each word with the others of its group; behind a colon stand names that the words before it are only read as. */
function glossary(): ReadonlyMap<string, readonly Gloss[]> {
  const found = new Map<string, Gloss[]>();
  for (const line of GROUPS.trim().split("\n")) {
    const [said = "", meant = said] = line.split(": ");
    const names = meant.split(", ").map((name) => ({ name, gloss: glossOf(name) }));
    for (const word of said.split(", ")) {
      const others = names.filter(({ name }) => name !== word).map(({ gloss }) => gloss);
      const key = phraseKey(word);
      found.set(key, [...(found.get(key) ?? []), ...others]);
    }
  }
  return found;
}

function glossOf(name: string): Gloss {
  return {
    stems: phraseKey(name),
    norms: normsOf(wordsOf(fold(name))),
  };
}

export const ENGLISH_GLOSSARY = glossary();
