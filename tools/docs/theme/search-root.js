// SPDX-License-Identifier: Apache-2.0
// What mkdocs' search/main.js wants of a page: where its index is, from the page's own folder on.
// Reading the index takes a moment, which the page says.
var base_url = new URL('.', document.baseURI).pathname;

if (new URLSearchParams(location.search).get('q')) {
  document.getElementById('mkdocs-search-results').textContent = 'Looking…';
}
