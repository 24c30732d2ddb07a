/** The study that judged a tour's claims, to read beside it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { STUDIES } from "./studies";

export function StudyLink({ page, claim }: { page: string; claim: string }) {
  const [isOpen, setOpen] = useState(false);
  const study = claim.split("/")[0]!;
  return (
    <>
      <p class="note">
        The verdict is that of the study, with its own scenarios and seeds.{" "}
        <button type="button" class="bare" onClick={() => setOpen(true)}>Read the study</button>{" "}
        <code>acklab reproduce {study}</code> repeats it; the claim is <code>{claim}</code>.
      </p>
      {isOpen && <Study page={page} onClose={() => setOpen(false)} />}
    </>
  );
}

function Study({ page, onClose }: { page: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="study" aria-label="The study" onClose={onClose} onClick={(event) => { if (event.target === dialog.current) close(); }}>
      <div class="bar">
        <span class="note">docs/studies/{page}.md</span>
        <button type="button" onClick={close}>Close</button>
      </div>
      <article dangerouslySetInnerHTML={{ __html: STUDIES[page]! }} />
    </dialog>
  );
}
