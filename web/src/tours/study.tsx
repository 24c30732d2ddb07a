/** The study that judged a tour's claims, to read beside it. */
import { useRef } from "preact/hooks";
import { STUDIES } from "./studies";

export function StudyLink({ page, claim }: { page: string; claim: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const study = claim.split("/")[0]!;
  const close = () => dialog.current?.close();
  return (
    <>
      <p class="note">
        The verdict is that of the study, with its own scenarios and seeds.{" "}
        <button type="button" class="bare" onClick={() => dialog.current?.showModal()}>Read the study</button>{" "}
        <code>acklab reproduce {study}</code> repeats it; the claim is <code>{claim}</code>.
      </p>
      <dialog ref={dialog} class="study" aria-label={`The study ${study}`} onClick={(event) => { if (event.target === dialog.current) close(); }}>
        <div class="bar">
          <span class="note">docs/studies/{page}.md</span>
          <button type="button" onClick={close}>Close</button>
        </div>
        <article dangerouslySetInnerHTML={{ __html: STUDIES[page]! }} />
      </dialog>
    </>
  );
}
