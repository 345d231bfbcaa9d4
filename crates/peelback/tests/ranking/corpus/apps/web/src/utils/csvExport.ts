import type { ParcelRow } from "../state/parcelStore";

export interface ExportColumn {
  title: string;
  value: (row: ParcelRow) => string;
}

export const DEFAULT_COLUMNS: ExportColumn[] = [
  { title: "Tracking number", value: (row) => row.trackingNo },
  { title: "Status", value: (row) => row.status },
  { title: "Town", value: (row) => row.city },
  { title: "Due", value: (row) => row.promised ?? "" },
  { title: "Note", value: (row) => row.note },
];

const BYTE_ORDER_MARK = "\uFEFF";

/** Excel runs cells that begin like a formula, so these get an apostrophe. */
function disarm(text: string): string {
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

function cell(text: string, separator: string): string {
  const safe = disarm(text);
  if (safe.includes(separator) || safe.includes('"')) {
    return `"${safe.replace(/"/g, '""')}"`;
  }
  return safe;
}

/** German and Polish Excel expect semicolons. */
export function separatorFor(locale: string): string {
  return /^(de|pl|pt)\b/.test(locale) ? ";" : ",";
}

export function toCsv(
  rows: ParcelRow[],
  locale: string,
  columns: ExportColumn[] = DEFAULT_COLUMNS,
): string {
  const separator = separatorFor(locale);
  const lines = [columns.map((column) => cell(column.title, separator)).join(separator)];
  for (const row of rows) {
    lines.push(columns.map((column) => cell(column.value(row), separator)).join(separator));
  }
  return BYTE_ORDER_MARK + lines.join("\r\n") + "\r\n";
}

export function download(name: string, text: string): void {
  const link = document.createElement("a");
  const blob = new Blob([text], { type: "text/csv;charset=utf-8" });
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
