import { ProtocolError } from "@modelcontextprotocol/server";
import {
  contentOf,
  jsonRpcBody,
  type Presenter,
  standardProtocolError,
  textError,
  unknownToolMessage,
} from "../presenter.ts";

/** Today's MCP, without a seed's peculiarities: the semantic models' endpoint, and most of `/mcp`. */
export const plainPresenter: Presenter = {
  result: (tool, output) => ({ content: contentOf(tool, output), structuredContent: output, isError: false }),
  toolError: (error) => textError(error.advice),
  protocolError: standardProtocolError,
  unknownTool(name, suggestion) {
    throw new ProtocolError(-32602, unknownToolMessage(name, suggestion));
  },
  httpError: (error, id) => jsonRpcBody(-32000, error, id),
};
