//! Figures, as SVG that follows the page's theme.
