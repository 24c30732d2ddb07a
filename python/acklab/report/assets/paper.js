// The page of a study: which claims, whose numbers, and reading a cell.
(() => {
  const { all } = Page;
  const pressed = (buttons, one) =>
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === one)));

  // Claims by verdict and by words.
  const filter = document.querySelector(".claim-filter");
  if (filter) {
    const buttons = all("button", filter);
    const search = filter.querySelector("input");
    const output = filter.querySelector("output");
    const claims = all(".claim");
    const parts = all(".claims-of");
    // The words of a claim; not those of its folded proof, where a reader would not see them.
    const words_of = new Map(claims.map((claim) => [
      claim,
      [...claim.children].filter((part) => part.tagName !== "DETAILS")
        .map((part) => part.textContent).join(" ").toLowerCase(),
    ]));
    let verdict = "";
    const apply = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const claim of claims) {
        claim.hidden = (verdict && claim.dataset.verdict !== verdict)
          || !words.every((word) => words_of.get(claim).includes(word));
        shown += !claim.hidden;
      }
      for (const part of parts) {
        part.hidden = all(".claim", part).every((claim) => claim.hidden);
        // Who asks for some claims wants to see them.
        if (part.tagName === "DETAILS") part.open = Boolean(verdict || words.length);
      }
      output.textContent = shown === claims.length ? "" : `${shown} of ${claims.length} shown`;
    };
    const choose = (to) => {
      verdict = to;
      pressed(buttons, buttons.find((b) => b.dataset.verdict === to));
      apply();
    };
    for (const button of buttons) button.onclick = () => choose(button.dataset.verdict);
    search.oninput = apply;
    for (const link of all(".tally a")) {
      link.addEventListener("click", () => choose(link.dataset.verdict));
    }
    // A link to a claim shows it whatever is filtered.
    const shown = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const topic = target?.closest("details.claims-of");
      const hidden = target && (target.hidden || target.closest("[hidden]"));
      if (!hidden && (!topic || topic.open)) return;
      if (hidden) {
        search.value = "";
        choose("");
      }
      if (topic) topic.open = true;
      target.scrollIntoView();
    };
    addEventListener("hashchange", shown);
    // Paper has no folds.
    addEventListener("beforeprint", () => {
      for (const part of parts) part.open = true;
    });
    shown();
  }

  for (const part of all(".of-table")) {
    // Whose numbers are shown.
    const buttons = all(".switch button", part);
    for (const button of buttons) {
      button.onclick = () => {
        pressed(buttons, button);
        const source = button.dataset.source;
        for (const table of all("table.paper", part)) {
          table.classList.toggle("single", source !== "");
          for (const row of all("tbody tr", table)) {
            row.hidden = source !== "" && row.dataset.source !== source;
          }
        }
      };
    }
    // The block at the chosen keys. Without a script all blocks are there.
    const choices = part.querySelector(".choices");
    if (choices) {
      const lists = all("select", choices);
      const blocks = all(".chosen", part);
      const none = choices.querySelector("output");
      const show = () => {
        for (const block of blocks) {
          block.hidden = lists.some((l) => block.getAttribute(`data-${l.dataset.axis}`) !== l.value);
        }
        none.textContent = blocks.every((block) => block.hidden) ? "No runs at these keys." : "";
      };
      for (const list of lists) list.onchange = show;
      choices.hidden = false;
      show();
    }
    // A cell is read under the pointer, or where the arrow keys have moved to. One cell of a
    // table takes part in the order of Tab, so that a table is left with one key.
    const read = part.querySelector(".read");
    const told = (cell) => {
      const again = cell.dataset.again ? ` Again: ${cell.dataset.again}` : "";
      read.textContent = `${cell.title}.${again}`;
    };
    for (const table of all("table.paper", part)) {
      const cells = all("td[title]", table);
      if (cells.length) cells[0].tabIndex = 0;
      const go = (cell) => {
        cells.forEach((c) => { c.tabIndex = c === cell ? 0 : -1; });
        cell.focus();
      };
      table.addEventListener("pointerover", (e) => {
        const cell = e.target.closest("td[title]");
        if (cell) told(cell);
      });
      table.addEventListener("focusin", (e) => { if (e.target.title) told(e.target); });
      table.addEventListener("click", (e) => {
        const cell = e.target.closest("td[title]");
        if (cell) go(cell);
      });
      table.addEventListener("keydown", (e) => {
        const cell = e.target.closest("td[title]");
        const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
        if (!cell || !by) return;
        e.preventDefault();
        const rows = all("tbody tr", table).filter((r) => !r.hidden);
        let [y, x] = [rows.indexOf(cell.parentElement), cell.cellIndex];
        for (;;) {
          [y, x] = [y + by[0], x + by[1]];
          const next = rows[y]?.cells[x];
          if (!next || next.tagName !== "TD") return;
          if (next.title) { go(next); return; }
        }
      });
    }
  }
})();
