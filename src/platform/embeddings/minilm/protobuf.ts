/** A message of Protocol Buffers as it is written: fields one after the other. */
export class Message {
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
