export type PluralForm = "one" | "few" | "many" | "other";
export type Messages = Partial<Record<PluralForm, string>> & { other: string };

/**
 * Which form of a word goes with a count. The rules of the languages we ship;
 * Intl.PluralRules is missing on the terminals of the depots.
 */
export function pluralForm(language: string, count: number): PluralForm {
  const whole = Math.abs(Math.trunc(count));
  switch (language) {
    case "pl": {
      if (whole === 1) return "one";
      const last = whole % 10;
      const lastTwo = whole % 100;
      if (last >= 2 && last <= 4 && !(lastTwo >= 12 && lastTwo <= 14)) return "few";
      return "many";
    }
    case "pt":
      return whole <= 1 ? "one" : "other";
    default:
      return whole === 1 ? "one" : "other";
  }
}

const CATALOGUE: Record<string, Record<string, Messages>> = {
  en: {
    parcels: { one: "{n} parcel", other: "{n} parcels" },
    stops: { one: "{n} stop left", other: "{n} stops left" },
  },
  de: {
    parcels: { one: "{n} Paket", other: "{n} Pakete" },
    stops: { one: "noch {n} Halt", other: "noch {n} Halte" },
  },
  pl: {
    parcels: { one: "{n} paczka", few: "{n} paczki", many: "{n} paczek", other: "{n} paczki" },
    stops: { one: "{n} postój", few: "{n} postoje", many: "{n} postojów", other: "{n} postoju" },
  },
};

/** Looks a counted message up and falls back to English. */
export function counted(language: string, key: string, count: number): string {
  const messages = CATALOGUE[language]?.[key] ?? CATALOGUE.en[key];
  if (!messages) return `${count} ${key}`;
  const form = pluralForm(language in CATALOGUE ? language : "en", count);
  return (messages[form] ?? messages.other).replace("{n}", String(count));
}
