// SPDX-License-Identifier: Apache-2.0
// A menu of the versions in versions.js. It leads to the same page of another version, or to that
// version's first page where it has no such page: each version lists its pages in pages.js, which
// is a script so that this works without a server too.
(() => {
  const place = document.querySelector('[data-version]');
  const root = new URL(place.dataset.root, document.baseURI);
  const here = place.dataset.version;
  if (ternVersions.length < 2) return;

  const page = document.location.href.slice(root.href.length).replace(/[?#].*/, '');
  const menu = document.createElement('select');
  menu.setAttribute('aria-label', 'Version of the documentation');
  for (const version of ternVersions) {
    const note = version === ternVersions[0] ? ' (newest)' : '';
    menu.append(new Option(version + note, version, version === here, version === here));
  }
  menu.addEventListener('change', () => {
    const other = new URL(`../${menu.value}/`, root);
    const open = (path) => document.location.assign(new URL(path, other));
    const list = document.createElement('script');
    list.src = new URL('pages.js', other);
    list.addEventListener('load', () => open(ternPages.includes(page) ? page : 'index.html'));
    list.addEventListener('error', () => open('index.html'));
    document.head.append(list);
  });
  place.replaceChildren(menu);

  if (here === ternVersions[0]) return;
  const note = document.createElement('p');
  const newest = document.createElement('a');
  note.className = 'old';
  newest.href = new URL(`../${ternVersions[0]}/index.html`, root);
  newest.textContent = `The newest is ${ternVersions[0]}.`;
  note.append(`This is the documentation of version ${here}. `, newest);
  document.querySelector('main').prepend(note);
})();
