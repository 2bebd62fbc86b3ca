"""Small charts as SVG or PNG from one drawing; series differ by shape and dash, not by colour alone."""
