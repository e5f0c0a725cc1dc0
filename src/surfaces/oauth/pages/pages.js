// Shows the buttons that copy: without this script there are none, and the text can be selected.
for (const button of document.querySelectorAll("button[data-copies]")) {
  const label = button.innerHTML;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copies);
    const wasCopied = await copy(source);
    button.textContent = wasCopied ? button.dataset.copied : button.dataset.byHand;
    setTimeout(() => {
      button.innerHTML = label;
    }, 2_000);
  });
}

// What is still going on is looked at again, unless somebody is in the middle of something.
if (document.querySelector("[data-reloads]") !== null)
  setInterval(() => {
    const isBusy = document.querySelector("details[open], input:focus, select:focus") !== null;
    if (!isBusy && getSelection().isCollapsed) location.reload();
  }, 4_000);

async function copy(source) {
  getSelection().selectAllChildren(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
    getSelection().removeAllRanges();
    return true;
  } catch {
    // Over plain http from another machine there is no clipboard; the selection can still be copied the old way.
    return document.execCommand("copy");
  }
}
