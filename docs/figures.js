// A live figure is a page in a frame. It says how high it is, and hears whether this page is dark.
(() => {
  const figures = () => [...document.querySelectorAll("iframe.live-figure")];
  const look = () => (document.body.dataset.mdColorScheme === "slate" ? "dark" : "light");
  const tell = (frame) => frame.contentWindow.postMessage({ acklab: { look: look() } }, "*");

  addEventListener("message", ({ source, data }) => {
    const frame = figures().find(({ contentWindow }) => contentWindow === source);
    const height = data?.acklab?.height;
    if (!frame || !Number.isFinite(height)) return;
    frame.style.height = `${Math.min(Math.max(height, 100), 4000)}px`;
    if (frame.dataset.look === look()) return;
    frame.dataset.look = look();
    tell(frame);
  });

  new MutationObserver(() => figures().forEach((frame) => {
    frame.dataset.look = look();
    tell(frame);
  })).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
})();
