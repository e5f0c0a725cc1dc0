import { encode } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { DIGEST_SCOPES, datasetsDigest, modelDigest } from "../digest.ts";
import type { DataType } from "../model.ts";
import type { VisibleDataset, VisibleField, VisibleModel } from "../visible-model.ts";

/** A retailer, ten datasets and some eighty fields: `name type [flag] {values} = sql | description | synonyms`. */
const RETAILER = `
# regions (region_id) 6 | Sales regions. | territory
region_id int | Region key |
name text dim {North, South, East, West, Central, Alpine} | Name of the region |
manager text dim | Who runs it |
# stores (store_id) 84 | Shops that are open or were. | shop, branch
store_id int | Store key |
name text dim | Name of the store |
city text dim | City |
country text dim {DE, AT, CH, DK, PL} | Country code |
region_id int | Region of the store |
format text dim {Flagship, City, Outlet} | Format of the store | store type
opened_on date time | Opening day |
floor_area int | Square metres | size
# customers (customer_id) 48210 | Everybody who signed up. | client, buyer
customer_id int | Customer key |
name text dim | Full name |
email text dim | Address for mail |
segment text dim {Consumer, Small Business, Enterprise, Public Sector} | Kind of customer | customer type
city text dim | City |
country text dim {DE, AT, CH, DK, PL} | Country code |
region_id int | Region of the customer |
signed_up_on date time | Day of sign-up | joined
newsletter bool dim | Gets the newsletter |
birth_year int dim | Year of birth |
# suppliers (supplier_id) 310 | Who we buy from. | vendor
supplier_id int | Supplier key |
name text dim | Company |
country text dim {DE, IT, PL, CN, VN} | Country code |
lead_time_days int | Days from order to delivery |
is_active bool dim | We still buy from it |
# products (product_id) 5120 | What is sold. | article, item
product_id int | Product key |
sku text dim | Article number |
name text dim | Name |
category text dim {Home Office, Lighting, Outdoor, Kitchen, Storage, Audio} | Category | product group
brand text dim | Brand | make
supplier_id int | Supplier |
unit_cost decimal | Purchase price | cost
list_price decimal | Price today |
launched_on date time | First day on sale |
is_discontinued bool dim | No longer sold |
# employees (employee_id) 920 | Staff. | sales rep
employee_id int | Employee key |
name text dim | Full name |
job_title text dim {Sales Representative, Key Account Manager, Service Agent, Regional Manager} | Position | role
manager_id int | Superior |
region_id int | Region |
hired_on date time | First working day |
left_on date time | Last working day |
# orders (order_id) 412870 | One row per order. | purchase
order_id int | Order number |
customer_id int | Who ordered |
store_id int | Store, if any |
employee_id int | Sales rep, if any |
ordered_on date time | Day of the order | date
shipped_on date time | Day it left | 
channel text dim {Store, Online, Marketplace, Field Sales} | Way it came in |
status text dim {completed, cancelled, returned, pending} | State of the order |
currency text dim {EUR, CHF, DKK, PLN} | Currency |
shipping_fee decimal | Shipping |
# order_items (order_item_id) 1180344 | One row per product in an order. | line item
order_item_id int | Item key |
order_id int | Order |
product_id int | Product |
quantity int | Units |
unit_price decimal | Price on that day |
discount decimal | Fraction off | rebate
net_amount decimal = quantity * unit_price * (1 - discount) | Amount after discount |
# returns (return_id) 39871 | Goods that came back. | sent back
return_id int | Return key |
order_item_id int | What came back |
returned_on date time | Day |
reason text dim {Defective, Damaged, Wrong item, Changed mind, Late} | Why |
quantity int | Units |
refund decimal | Money paid back |
# support_tickets (ticket_id) 60230 | Requests to customer service. | case
ticket_id int | Ticket number |
customer_id int | Who asked |
employee_id int | Who answers |
opened_at timestamp time | Opened | created
closed_at timestamp time | Closed | resolved
priority text dim {low, medium, high, urgent} | Urgency |
channel text dim {Email, Chat, Phone, Store} | Way it came in |
topic text dim {Delivery, Billing, Quality, Returns, Account} | Subject |
satisfaction int {1, 2, 3, 4, 5} | Rating, 5 is best | score
`;

const METRICS: [name: string, dataType: DataType, sql: string, description: string][] = [
  ["revenue", "Decimal", "SUM(order_items.net_amount)", "Sales after discount"],
  ["units", "Integer", "SUM(order_items.quantity)", "Units sold"],
  ["order_count", "Integer", "COUNT(DISTINCT orders.order_id)", "Orders of any status"],
  ["average_order", "Decimal", "SUM(order_items.net_amount) / COUNT(DISTINCT orders.order_id)", "Basket"],
  ["refunds", "Decimal", "SUM(returns.refund)", "Money paid back"],
  ["satisfaction", "Float", "AVG(support_tickets.satisfaction)", "Average rating"],
];

const AUTHOR: Record<string, [DataType, string]> = {
  text: ["String", "VARCHAR"],
  int: ["Integer", "BIGINT"],
  decimal: ["Decimal", "DECIMAL(18,2)"],
  bool: ["Boolean", "BOOLEAN"],
  date: ["Date", "DATE"],
  timestamp: ["DateTime", "TIMESTAMP"],
};

const commas = (text = "") => text.split(", ").filter(Boolean);
const ai = (synonyms: string[]) => ({ instructions: null, synonyms, examples: [], more: {} });

function fieldOf(line: string): VisibleField {
  const [head = "", description = "", synonyms = ""] = line.split("|").map((part) => part.trim());
  const [, name = "", type = "", flag, values, sql = null] =
    /^(\w+) (\w+)(?: (dim|time))?(?: \{(.*)\})?(?: = (.*))?$/.exec(head) ?? [];
  const [dataType = null, engineType = ""] = AUTHOR[type] ?? [];
  const isTime = flag === undefined ? null : flag === "time";
  const distinctValues = commas(values);
  return {
    name,
    label: null,
    description,
    dataType,
    isTime,
    distinctValues,
    ai: ai(commas(synonyms)),
    type: engineType,
    sql,
  };
}

function datasetOf(text: string): VisibleDataset {
  const [first = "", ...lines] = text.trim().split("\n");
  const [head = "", description = "", synonyms] = first.split("|").map((part) => part.trim());
  const [, name = "", key = "", rows] = /^(\w+) \((\w+)\) (\d+)$/.exec(head) ?? [];
  const rowCount = Number(rows);
  return {
    name,
    source: `shop.public.${name}`,
    description,
    ai: ai(commas(synonyms)),
    primaryKey: [key],
    uniqueKeys: [],
    rowCount,
    fields: lines.map(fieldOf),
  };
}

function retailer(): VisibleModel {
  const datasets = RETAILER.split("\n# ").slice(1).map(datasetOf);
  const owner = new Map(datasets.map(({ name, primaryKey: [key = ""] }) => [key, name]));
  const relationships = datasets.flatMap(({ name, fields }) =>
    fields.flatMap((field) => {
      const to = owner.get(field.name);
      if (to === undefined || to === name) return [];
      const columns = [field.name];
      return { name: `${name}_${to}`, from: name, to, fromColumns: columns, toColumns: columns, ai: ai([]) };
    }),
  );
  const metrics = METRICS.map(([name, dataType, sql, description]) => ({
    name,
    dataType,
    sql,
    type: "",
    description,
    ai: ai([]),
  }));
  const instructions = "Revenue counts completed orders only.\nThe fiscal year starts on 1 February.";
  const description = "Orders, products, customers, stores and service of a retailer.";
  return {
    id: "",
    name: "retail",
    version: 1,
    description,
    ai: { ...ai([]), instructions },
    datasets,
    relationships,
    metrics,
  };
}

/** As archmax keeps it: type and values of a field are JSON in an extension. */
function ossieYaml(model: VisibleModel): string {
  const context = ({ instructions, synonyms }: VisibleModel["ai"]) =>
    synonyms.length === 0 && instructions === null
      ? {}
      : {
          ai_context: {
            ...(instructions !== null && { instructions }),
            ...(synonyms.length > 0 && { synonyms }),
          },
        };
  const expression = (sql: string) => ({ dialects: [{ dialect: "ANSI_SQL", expression: sql }] });
  const extension = ({ type, distinctValues: values }: VisibleField) => ({
    vendor_name: "COMMON",
    data: JSON.stringify({ data_type: type, ...(values.length > 0 && { distinct_values: values }) }),
  });
  const datasets = model.datasets.map(({ name, source, primaryKey, description, fields, ...dataset }) => ({
    name,
    source,
    primary_key: primaryKey,
    description,
    ...context(dataset.ai),
    fields: fields.map((field) => ({
      name: field.name,
      expression: expression(field.sql ?? field.name),
      ...(field.isTime !== null && { dimension: { is_time: field.isTime } }),
      description: field.description,
      datatype: field.dataType,
      ...context(field.ai),
      custom_extensions: [extension(field)],
    })),
  }));
  const relationships = model.relationships.map(({ name, from, to, fromColumns, toColumns }) => ({
    name,
    from,
    to,
    from_columns: fromColumns,
    to_columns: toColumns,
  }));
  const metrics = model.metrics.map(({ name, sql, description, dataType }) => ({
    name,
    expression: expression(sql),
    description,
    datatype: dataType,
  }));
  const { name, description } = model;
  const root = { name, description, ...context(model.ai), datasets, relationships, metrics };
  return stringify({ version: "0.2.0.dev0", semantic_model: [root] });
}

const tokens = (text: string) => encode(text).length;

describe("the tokens of a digest", () => {
  const model = retailer();
  const yaml = tokens(ossieYaml(model));

  it("speaks of a model of the size we mean", () => {
    expect(model.datasets).toHaveLength(10);
    expect(model.datasets.flatMap(({ fields }) => fields).length).toBeGreaterThan(70);
  });

  const perPage = 25;
  const overview = modelDigest(model, { perPage }).markdown;
  const datasets = (names: string[]) =>
    datasetsDigest(
      model,
      names.map((name) => ({ name })),
      { perPage },
    ).markdown;

  it("are less than a third of those of the YAML, all of the model read", () => {
    const rest = DIGEST_SCOPES.flatMap((scope) => {
      const { pages } = modelDigest(model, { scope, perPage });
      const later = Array.from({ length: pages - 1 }, (_, index) => index + 2);
      return later.map((page) => modelDigest(model, { scope, page, perPage }).markdown);
    });
    const whole = [overview, ...rest, datasets(model.datasets.map(({ name }) => name))];
    expect(yaml / tokens(whole.join("\n\n"))).toBeGreaterThan(3.5);
  });

  it("are less than a fifth for a question: the overview and the three datasets that it needs", () => {
    const read = [overview, datasets(["orders", "order_items", "customers"])];
    expect(yaml / tokens(read.join("\n\n"))).toBeGreaterThan(5);
  });
});
