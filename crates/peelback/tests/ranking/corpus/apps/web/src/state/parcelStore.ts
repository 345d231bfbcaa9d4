export interface ParcelRow {
  trackingNo: string;
  status: string;
  city: string;
  promised: string | null;
  overdue: boolean;
  note: string;
}

export interface ParcelState {
  rows: Record<string, ParcelRow>;
  selected: Set<string>;
  undo: ParcelRow[];
}

export type ParcelAction =
  | { type: "loaded"; rows: ParcelRow[] }
  | { type: "scanned"; trackingNo: string; status: string }
  | { type: "noted"; trackingNo: string; note: string }
  | { type: "toggled"; trackingNo: string }
  | { type: "cancelled"; trackingNos: string[] }
  | { type: "cancelFailed" }
  | { type: "cancelConfirmed" };

export const EMPTY: ParcelState = { rows: {}, selected: new Set(), undo: [] };

function patch(state: ParcelState, trackingNo: string, change: Partial<ParcelRow>): ParcelState {
  const row = state.rows[trackingNo];
  if (!row) return state;
  return { ...state, rows: { ...state.rows, [trackingNo]: { ...row, ...change } } };
}

export function parcelReducer(state: ParcelState, action: ParcelAction): ParcelState {
  switch (action.type) {
    case "loaded": {
      const rows = Object.fromEntries(action.rows.map((row) => [row.trackingNo, row]));
      const selected = new Set([...state.selected].filter((number) => number in rows));
      return { rows, selected, undo: [] };
    }
    case "scanned":
      return patch(state, action.trackingNo, { status: action.status });
    case "noted":
      return patch(state, action.trackingNo, { note: action.note });
    case "toggled": {
      const selected = new Set(state.selected);
      if (!selected.delete(action.trackingNo)) selected.add(action.trackingNo);
      return { ...state, selected };
    }
    case "cancelled": {
      // Shown at once; the rows as they were are kept in case the server says no.
      const undo = action.trackingNos.map((number) => state.rows[number]).filter(Boolean);
      let next: ParcelState = { ...state, selected: new Set(), undo };
      for (const row of undo) next = patch(next, row.trackingNo, { status: "cancelled" });
      return next;
    }
    case "cancelFailed": {
      const restored = Object.fromEntries(state.undo.map((row) => [row.trackingNo, row]));
      return { ...state, rows: { ...state.rows, ...restored }, undo: [] };
    }
    case "cancelConfirmed":
      return { ...state, undo: [] };
  }
}

export function overdueCount(state: ParcelState): number {
  return Object.values(state.rows).filter((row) => row.overdue).length;
}
