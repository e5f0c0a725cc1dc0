const FLOAT = 1;
const INT8 = 3;
const INT32 = 6;
const INT64 = 7;
const ELEMENT_TYPES = { float: FLOAT, int8: INT8, int32: INT32, int64: INT64 } as const;
type ElementType = keyof typeof ELEMENT_TYPES;

/** Microsoft's operators, which do in one step what takes several of the standard's. */
const MICROSOFT = "com.microsoft";

type Attribute = number | { float: number } | readonly number[];

/** Writes down a network in the format that onnxruntime reads. Operators of the standard are of version 17. */
export class OnnxGraph {
  readonly #graph = new Message().text(2, "model");
  #names = 0;

  input(name: string, type: ElementType, dimensions: readonly (string | number)[]): string {
    this.#graph.message(11, valueInfo(name, type, dimensions));
    return name;
  }

  output(name: string, type: ElementType, dimensions: readonly (string | number)[]): void {
    this.#graph.message(12, valueInfo(name, type, dimensions));
  }

  constant(values: Float32Array | Int8Array | BigInt64Array, shape: readonly number[]): string {
    const name = this.#newName();
    const type = values instanceof Float32Array ? FLOAT : values instanceof Int8Array ? INT8 : INT64;
    const tensor = new Message();
    for (const size of shape) tensor.int(1, size);
    tensor.int(2, type).text(8, name);
    tensor.bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#graph.message(5, tensor);
    return name;
  }

  /** One result; `name` is given to it where it matters. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Record<string, Attribute> = {},
    name?: string,
  ): string {
    const output = name ?? this.#newName();
    this.nodes(operator, inputs, [output], attributes);
    return output;
  }

  /** Several results. */
  split(
    operator: string,
    inputs: readonly string[],
    count: number,
    attributes: Record<string, Attribute>,
  ): string[] {
    const outputs = Array.from({ length: count }, () => this.#newName());
    this.nodes(operator, inputs, outputs, attributes);
    return outputs;
  }

  nodes(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Record<string, Attribute>,
  ): void {
    const node = new Message();
    for (const input of inputs) node.text(1, input);
    for (const output of outputs) node.text(2, output);
    const [domain, type] = operator.startsWith("ms.") ? [MICROSOFT, operator.slice(3)] : ["", operator];
    node.text(4, type).text(7, domain);
    for (const [key, value] of Object.entries(attributes)) node.message(5, attribute(key, value));
    this.#graph.message(1, node);
  }

  encode(): Uint8Array {
    const standard = new Message().text(1, "").int(2, 17);
    const microsoft = new Message().text(1, MICROSOFT).int(2, 1);
    return new Message()
      .int(1, 8)
      .message(7, this.#graph)
      .message(8, standard)
      .message(8, microsoft)
      .encode();
  }

  #newName(): string {
    return `n${this.#names++}`;
  }
}

function attribute(name: string, value: Attribute): Message {
  const message = new Message().text(1, name);
  if (typeof value === "number") return message.int(3, value).int(20, 2);
  if ("float" in value) return message.float(2, value.float).int(20, 1);
  for (const one of value) message.int(8, one);
  return message.int(20, 7);
}

function valueInfo(name: string, type: ElementType, dimensions: readonly (string | number)[]): Message {
  const shape = new Message();
  for (const size of dimensions)
    shape.message(1, typeof size === "number" ? new Message().int(1, size) : new Message().text(2, size));
  const tensor = new Message().int(1, ELEMENT_TYPES[type]).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

/** A message of Protocol Buffers as it is written: fields one after the other. */
class Message {
  readonly #parts: Uint8Array[] = [];

  int(field: number, value: number): this {
    this.#parts.push(varint(field << 3), varint(value));
    return this;
  }

  float(field: number, value: number): this {
    this.#parts.push(varint((field << 3) | 5), new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.encode());
  }

  bytes(field: number, value: Uint8Array): this {
    this.#parts.push(varint((field << 3) | 2), varint(value.length), value);
    return this;
  }

  encode(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
