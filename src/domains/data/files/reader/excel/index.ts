export { EXCEL_ERRORS } from "./excel-errors.ts";
export { zipSheets } from "./sheet-rows.ts";
