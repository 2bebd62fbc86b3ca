#!/usr/bin/env bash
# The manuals and package descriptions that gather.py reads, by the ordinary apt client.
#   bash tools/cross_encoder/gather.sh DIR     about 400 MB to fetch, a minute
set -euo pipefail
mkdir -p "$1/lists/partial" "$1/debs" "$1/root"
cd "$1"
apt=(-q -o "Dir::State::lists=$PWD/lists" -o Dir::Etc::sourcelist=/dev/null -o Acquire::Languages=en,es
  -o APT::Sandbox::User=root)
packages=(
  apache2-doc aptitude-doc-{en,es} debian-edu-doc-{en,es} debian-faq debian-handbook debian-reference-{en,es}
  freedombox-doc-{en,es} gimp-help-{en,es} gnome-user-docs harden-doc installation-guide-amd64
  kicad-doc-{en,es} libreoffice-help-{en-us,es} lilypond-doc-html lilypond-doc-html-es
  maint-guide maint-guide-es perl-doc postgresql-doc-15 python3.11-doc r-doc-html sqlite3-doc zsh-doc
)
apt-get update "${apt[@]}"
(cd debs && apt-get download "${apt[@]}" "${packages[@]}")
for deb in debs/*.deb; do dpkg-deb -x "$deb" root; done
for language in en es; do
  /usr/lib/apt/apt-helper cat-file lists/*_main_i18n_Translation-"$language"* >"Translation-$language"
done
