export { zipSheets } from "./sheet-rows.ts";
export { EXCEL_ERRORS } from "./workbook.ts";
