// Script of the documentation, which is complete without it: it inserts the page's address as that of the service, and adds
// buttons that copy.

export const script = `
for (const base of document.querySelectorAll('.base')) base.textContent = location.origin + location.pathname.replace(/\\/docs$/, '');
for (const block of document.querySelectorAll('.block')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('pre').textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(block.querySelector('pre'));
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  block.append(button);
}
`;
