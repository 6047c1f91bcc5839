// SPDX-License-Identifier: Apache-2.0
// Runs before the first paint: a page in another page has no banner, which index.html has for all.
if (new URLSearchParams(location.search).has('embed')) {
  document.documentElement.dataset.embed = '';
}
