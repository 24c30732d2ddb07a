/** Colours, as the style sheet has them for the look of the moment. */

/** The colour of a custom property now. */
export function inked(property: string): string {
  const probe = document.documentElement;
  const value = getComputedStyle(probe).getPropertyValue(property).trim();
  return value || "#888";
}
