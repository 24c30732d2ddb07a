// Charts are drawn when they come into view.
(() => {
  const { all, drawings } = Page;
  const draw = (chart) => {
    drawings[chart.dataset.kind](chart, JSON.parse(chart.querySelector("script").textContent));
    chart.dataset.drawn = "";
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || target.clientWidth === 0 || "drawn" in target.dataset) continue;
      seen.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "300px" });
  all(".chart").forEach((chart) => seen.observe(chart));

  // On paper there is no hovering: what was never in view is drawn now. Tables that are wider
  // than the paper are made smaller, so that nothing of them is cut.
  const PAPER = 690;
  // Letters of a table on paper, of those on a screen: 8.5 pt of 14.72 px.
  const SMALLER = 0.77;
  addEventListener("beforeprint", () => {
    all(".chart:not([data-drawn])").filter((c) => c.clientWidth > 0).forEach(draw);
    for (const table of all(".wide > table")) {
      const wide = table.scrollWidth * SMALLER;
      if (wide > PAPER) table.style.setProperty("--shrunk", PAPER / wide);
    }
  });
  document.documentElement.dataset.ready = "";
})();
