import { contentBlocks, type Presenter } from "../presenter.ts";
import { plainPresenter } from "./plain.ts";

/** `/mcp`, where no contract prints results: rows as text are compact, and a file comes once. */
export const allPresenter: Presenter = {
  ...plainPresenter,
  result(tool, output, ms) {
    const compact = tool.tool.compact?.(output);
    if (compact === undefined) return plainPresenter.result(tool, output, ms);
    const { content, structured = output } = compact;
    return { content: contentBlocks(content), structuredContent: structured, isError: false };
  },
};
