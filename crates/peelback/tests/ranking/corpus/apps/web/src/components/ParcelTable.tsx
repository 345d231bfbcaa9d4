import { useMemo, useState } from "react";
import { relativeDay } from "../utils/formatDate";
import type { ParcelRow } from "../state/parcelStore";

type Column = "trackingNo" | "status" | "city" | "promised";

interface Props {
  rows: ParcelRow[];
  selected: Set<string>;
  onToggle: (trackingNo: string) => void;
}

const STATUS_ORDER = [
  "announced",
  "labelled",
  "in_transit",
  "out_for_delivery",
  "delivered",
  "returned",
  "cancelled",
];

export function sortRows(rows: ParcelRow[], column: Column, descending: boolean): ParcelRow[] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    if (column === "status") {
      return sign * (STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status));
    }
    const left = a[column] ?? "";
    const right = b[column] ?? "";
    if (left === "" || right === "") return left === right ? 0 : left === "" ? 1 : -1;
    return sign * left.localeCompare(right, undefined, { numeric: true });
  });
}

export function ParcelTable({ rows, selected, onToggle }: Props) {
  const [column, setColumn] = useState<Column>("promised");
  const [descending, setDescending] = useState(false);
  const sorted = useMemo(() => sortRows(rows, column, descending), [rows, column, descending]);

  function pick(next: Column) {
    if (next === column) setDescending(!descending);
    else {
      setColumn(next);
      setDescending(false);
    }
  }

  return (
    <table className="parcels">
      <thead>
        <tr>
          <th />
          <th onClick={() => pick("trackingNo")}>Number</th>
          <th onClick={() => pick("status")}>Status</th>
          <th onClick={() => pick("city")}>Town</th>
          <th onClick={() => pick("promised")}>Due</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((row) => (
          <tr key={row.trackingNo} className={row.overdue ? "late" : undefined}>
            <td>
              <input
                type="checkbox"
                checked={selected.has(row.trackingNo)}
                onChange={() => onToggle(row.trackingNo)}
              />
            </td>
            <td>{row.trackingNo}</td>
            <td>{row.status.replace(/_/g, " ")}</td>
            <td>{row.city}</td>
            <td>{row.promised ? relativeDay(new Date(row.promised)) : "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
