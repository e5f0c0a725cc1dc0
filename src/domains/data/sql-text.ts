export { quoteName, quoteText } from "../../kernel/sql-text.ts";
