/** The pages of the studies that judge the tours' claims, as the documentation has them. */
import aggregation from "../../../docs/studies/mac-aggregation.md?page";
import bbr from "../../../docs/studies/bbr-wifi6.md?page";
import tac from "../../../docs/studies/tac.md?page";
import tack from "../../../docs/studies/tack.md?page";

/** HTML by the name of the page. */
export const STUDIES: Record<string, string> = { "mac-aggregation": aggregation, "bbr-wifi6": bbr, tac, tack };
