import { describe, expect, it } from "vitest";
import { separatorFor, toCsv } from "./csvExport";
import type { ParcelRow } from "../state/parcelStore";

const row = (change: Partial<ParcelRow>): ParcelRow => ({
  trackingNo: "HB000000001GB",
  status: "in_transit",
  city: "Bristol",
  promised: null,
  overdue: false,
  note: "",
  ...change,
});

describe("CSV export of parcels for Excel", () => {
  it("begins with a byte order mark and the column titles", () => {
    const [first] = toCsv([], "en-GB").split("\r\n");
    expect(first).toBe("\uFEFFTracking number,Status,Town,Due,Note");
  });

  it("puts a note with a comma in quotes", () => {
    expect(toCsv([row({ note: "ring, then wait" })], "en-GB")).toContain('"ring, then wait"');
  });

  it("doubles quotes inside a note", () => {
    expect(toCsv([row({ note: 'the "red" door' })], "en-GB")).toContain('"the ""red"" door"');
  });

  it("disarms formulas in cells", () => {
    expect(toCsv([row({ note: "=1+1" })], "en-GB")).toContain("'=1+1");
  });

  it("uses semicolons for German and Polish Excel", () => {
    expect(separatorFor("de-DE")).toBe(";");
    expect(separatorFor("pl")).toBe(";");
    expect(separatorFor("en-GB")).toBe(",");
  });
});
