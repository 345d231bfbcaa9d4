export interface AddressForm {
  recipient: string;
  street: string;
  postcode: string;
  city: string;
  country: string;
}

export type FieldErrors = Partial<Record<keyof AddressForm, string>>;

const POSTCODES: Record<string, { pattern: RegExp; example: string }> = {
  GB: { pattern: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i, example: "BS1 6XN" },
  DE: { pattern: /^\d{5}$/, example: "20457" },
  PL: { pattern: /^\d{2}-?\d{3}$/, example: "80-288" },
  PT: { pattern: /^\d{4}-?\d{3}$/, example: "4050-253" },
};

const POST_BOX = /\b(p\.?\s?o\.?\s?box|postfach|skrytka)\b/i;
const LONGEST = 60;

/** Messages for the form, keyed by field; empty when all is well. */
export function checkAddress(form: AddressForm, service: string): FieldErrors {
  const errors: FieldErrors = {};
  for (const field of ["recipient", "street", "postcode", "city", "country"] as const) {
    const value = form[field].trim();
    if (value === "") errors[field] = "Please fill in this field.";
    else if (value.length > LONGEST) errors[field] = `Please use at most ${LONGEST} characters.`;
  }
  const rule = POSTCODES[form.country];
  if (!errors.postcode && rule && !rule.pattern.test(form.postcode.trim())) {
    errors.postcode = `This does not look like a postcode, for example ${rule.example}.`;
  }
  if (!errors.street && POST_BOX.test(form.street) && service === "express") {
    errors.street = "Express parcels cannot be delivered to a post box.";
  }
  if (!errors.street && !/\d/.test(form.street) && !POST_BOX.test(form.street)) {
    errors.street = "The number of the house is missing.";
  }
  return errors;
}

export function isComplete(errors: FieldErrors): boolean {
  return Object.keys(errors).length === 0;
}

/** Moves what the server objects to next to the right fields. */
export function mergeServerErrors(own: FieldErrors, fields: Record<string, string>): FieldErrors {
  const merged: FieldErrors = { ...own };
  for (const [name, message] of Object.entries(fields)) {
    const field = name.replace(/^receiver\./, "") as keyof AddressForm;
    merged[field] ??= message;
  }
  return merged;
}
